import assert from "node:assert/strict";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { sleep } from "../../../src/base/clock.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { alertsOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const PAYEE = "0x00000000000000000000000000000000000A11cE";
const DELAY_MAX_MS = 300;

/** The wallet's newest payments are read once the payment was answered, or a little later. */
function delayNewestPayments({ deps: { db } }: World, answered: Promise<void>): void {
  const { rows } = db;
  const delayed: typeof rows = async (table, where, args) => {
    const isLate = table.name === SignedTransactions.name &&
      where.includes("ORDER BY place DESC, id");
    if (isLate) await Promise.race([answered, sleep(DELAY_MAX_MS)]);
    return await rows(table, where, args);
  };
  Object.assign(db, { rows: delayed });
}

Deno.test("a payment is answered only when all that it found wrong is reported", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const pay = () => withdraw(world.merchant.api, { to: PAYEE, amount: "1" });
  assert.equal((await pay()).status, 200);
  await settleAll(world);
  // The end of the log is lost: neither the newest payment nor the next request follows it.
  await world.deps.db.execute([
    { sql: "DROP TRIGGER audit_log_no_delete" },
    { sql: "DELETE FROM audit_log WHERE id > (SELECT max(id) - 2 FROM audit_log)" },
  ]);
  await world.restart();
  const answered = Promise.withResolvers<void>();
  delayNewestPayments(world, answered.promise);
  assert.notEqual((await pay()).status, 200);
  await assert.rejects(
    resumeTampered(world.deps, { accountId: 1, actor: "test" }),
    { message: /^Nothing proves that 0x[0-9a-f]{64} is the newest payment of its wallet: / },
  );
  answered.resolve();
  assert.deepEqual(
    (await alertsOf(world.deps)).map(({ subject }) => subject).toSorted(),
    ["account:1 signed_transactions:1", "account:1 withdrawals:2"],
  );
});
