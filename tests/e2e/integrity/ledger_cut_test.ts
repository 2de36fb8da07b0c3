import assert from "node:assert/strict";
import { Freezes } from "../../../src/books/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import {
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const PAYEE = "0x00000000000000000000000000000000000A11cE";

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

/** The ledger as it was before a payment, and the balance it had then, validly sealed. */
const CUT = [
  "DROP TRIGGER ledger_entries_no_delete",
  "DELETE FROM ledger_entries WHERE withdrawal_id IS NOT NULL",
  "DELETE FROM ledger_checks",
  "UPDATE balances SET (balance, held, seal) = (SELECT balance, held, seal FROM thief_balance)",
];
const MORE: Readonly<Record<string, readonly string[]>> = {
  "alone": [],
  "and its numbers are given again": [
    `UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM ledger_entries)
WHERE name = 'ledger_entries'`,
  ],
};

for (const [what, more] of Object.entries(MORE)) {
  Deno.test(`money that was paid out isn't back once the ledger's end is cut off: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    await sql(world, "CREATE TABLE thief_balance AS SELECT * FROM balances");
    const id = sentId(await withdraw(world.merchant.api, { to: PAYEE, amount: "60" }));
    await settleAll(world);
    assert.equal(await statusOf(world.merchant.api, id), "confirmed");
    await sql(world, ...CUT, ...more);
    await withdraw(world.merchant.api, { to: PAYEE, amount: "60" });
    for (let i = 0; i < 2; i++) await settleAll(world);
    assert.equal(await receivedBy(anvil, PAYEE), 60n * ETHER);
    assert.deepEqual((await world.deps.db.rows(Freezes, "")).map(({ currency }) => currency), [
      "ETH",
    ]);
  });
}
