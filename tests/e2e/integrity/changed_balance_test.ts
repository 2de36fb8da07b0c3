import assert from "node:assert/strict";
import { acceptRow, checkIntegrity } from "../../../src/integrity/manage_integrity.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { fundMerchant, sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { alertsOf, withdraw } from "../../support/views.ts";

const GUIDE = new URL("../../../docs/operate.md", import.meta.url);
/** As the guide advises for ETH of account 1. */
const RESTORING = /```sql\n(.*?);\n *```/s.exec(await Deno.readTextFile(GUIDE))![1]!;
const PAYEE = "0x00000000000000000000000000000000000A11cE";

Deno.test("a balance that its ledger contradicts isn't accepted, so nobody else's payments stop", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId } } = world;
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  const key = `${accountId}/ETH/ETH`;
  const accept = () => acceptRow(deps, { table: "balances", key, actor: "test" });
  const set = (change: string) =>
    deps.db.execute([{ sql: `UPDATE balances SET ${change} WHERE account_id = ${accountId}` }]);
  const pay = (client: typeof api) => withdraw(client, { to: PAYEE, amount: "1" });

  await set("balance = '5000', seal = 'forged'");
  assert.equal((await pay(api)).status, 503);
  sentId(await pay(other.api));
  await assert.rejects(accept, {
    message: `Balance ${key} is 5000 with 0 held, and by its ledger it is 100 with 0 held`,
  });

  await deps.db.execute([{ sql: RESTORING }]);
  // Whoever changed the row also overwrote its seal.
  await accept();
  await resumeTampered(deps, { accountId, actor: "test" });
  assert.deepEqual([(await checkIntegrity(deps)).tampered, await alertsOf(deps)], [0, []]);
  for (const _ of ["before a restart", "after it"]) {
    for (const client of [api, other.api]) sentId(await pay(client));
    await settleAll(world);
    await world.restart();
  }
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a balance that was inserted, or whose ledger was changed too, isn't accepted", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  await world.addToken();
  const accept = (currency: string) =>
    acceptRow(deps, { table: "balances", key: `${accountId}/ETH/${currency}`, actor: "test" });
  await deps.db.execute([
    {
      sql: `INSERT INTO balances (account_id, network, currency, balance, held)
VALUES (${accountId}, 'ETH', 'USDT', '0', '0')`,
    },
    { sql: "UPDATE balances SET balance = '5000' WHERE currency = 'ETH'" },
    { sql: "DROP TRIGGER ledger_entries_no_update" },
    { sql: "UPDATE ledger_entries SET balance_after = '5000'" },
  ]);
  await assert.rejects(() => accept("USDT"), {
    message: /is 0 with 0 held, and no ledger entry explains it/,
  });
  await assert.rejects(() => accept("ETH"), {
    message: /^Row \d+ of ledger_entries is not as this gateway wrote it/,
  });
});
