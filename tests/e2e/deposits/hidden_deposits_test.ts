import assert from "node:assert/strict";
import { LedgerEntries } from "../../../src/books/table.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { payIn } from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const MORE_THAN_A_STEP = 450;
const STEPS = 3;

/** Rows older than the deposit that must never be credited. */
const HIDING: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  "that somebody wrote to the database": ({ deps: { db } }) =>
    db.execute([{
      sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO transactions (${COLUMNS.join(", ")}, tx_hash)
SELECT ${COLUMNS.map((name) => name === "block_number" ? "1" : name).join(", ")}, 'forged' || i
FROM n, transactions WHERE id = 1`,
      args: [MORE_THAN_A_STEP],
    }]),
  "that the chain does not have": async ({ deps: { db } }) => {
    const { id: _, ...row } = (await db.find(Transactions, [1]))!;
    await db.write({
      reads: [],
      decide: (view) => {
        for (let i = 0; i < MORE_THAN_A_STEP; i++) {
          const txHash = `0x${i.toString(16).padStart(64, "0")}`;
          view.insert(Transactions, { ...row, txHash, blockNumber: 1 });
        }
      },
    });
  },
};
const COLUMNS = [
  ...["account_id", "network", "currency", "direction", "status", "position", "live"],
  ...["from_address", "to_address", "amount", "block_number", "block_hash", "sender"],
  ...["sender_nonce", "address_id", "is_below_minimum", "created_at_ms"],
];

for (const [what, hide] of Object.entries(HIDING)) {
  Deno.test(`a deposit is credited behind more rows than one step looks at ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { address } = await allocate(world.merchant.api);
    await payIn(world, { to: address, raw: ETHER });
    await world.round();
    await hide(world);
    for (let step = 0; step < STEPS; step++) await settleAll(world);
    const rows = await world.deps.db.rows(LedgerEntries, "WHERE transaction_id IS NOT NULL");
    assert.deepEqual(rows.map(({ transactionId }) => transactionId), [1]);
  });
}
