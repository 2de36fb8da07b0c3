import assert from "node:assert/strict";
import type { Db } from "../../src/store/engine/db.ts";
import { LedgerEntries } from "../../src/books/table.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { type TestDatabase, testOnBoth } from "./databases.ts";
import { addition, bookFault, makeAccount } from "./ledger.ts";

async function makeBooks(database: TestDatabase): Promise<{ db: Db; accountId: number }> {
  const db = await database.open();
  const accountId = await makeAccount(db);
  for (const amount of [5n, -2n, 7n]) await db.write(addition(accountId, amount));
  return { db, accountId };
}

const ATTACKS: readonly (readonly [what: string, sql: string, message: RegExp])[] = [
  ["change an entry", "UPDATE ledger_entries SET amount = '9' WHERE id = 1", /never changed/],
  ["change all entries", "UPDATE ledger_entries SET note = 'x'", /never changed/],
  ["remove an entry", "DELETE FROM ledger_entries WHERE id = 2", /never deleted/],
  ["remove all entries", "DELETE FROM ledger_entries", /never deleted/],
];

for (const [what, sql, message] of ATTACKS) {
  testOnBoth(`no program can ${what} of the ledger`, async (database) => {
    const { db, accountId } = await makeBooks(database);
    await assert.rejects(database.client().execute(sql), message);
    await assert.rejects(db.execute([{ sql }]), message);
    assert.equal((await db.rows(LedgerEntries, "")).length, 3);
    assert.equal(await bookFault(db, accountId), undefined);
  });
}

testOnBoth("no unit can change or remove an entry of the ledger", async (database) => {
  const { db, accountId } = await makeBooks(database);
  const reads = [read(LedgerEntries, [1])];
  await assert.rejects(db.write({
    reads,
    decide: (view) => view.update(LedgerEntries, view.find(LedgerEntries, [1])!, { amount: "6" }),
  }));
  await assert.rejects(db.write({
    reads,
    decide: (view) => view.remove(LedgerEntries, view.find(LedgerEntries, [1])!),
  }));
  assert.equal(await bookFault(db, accountId), undefined);
});

testOnBoth(
  "a second entry for the same subject is refused (one credit, one debit)",
  async (database) => {
    const { db, accountId } = await makeBooks(database);
    const client = database.client();
    await client.execute({
      sql:
        `INSERT INTO api_keys (key_id, account_id, label, secret_sealed, permissions, ip_list, rate_limit, created_at_ms)
VALUES ('k', ?, '', '', '[]', '[]', 1, 1)`,
      args: [BigInt(accountId)],
    });
    await client.execute({
      sql:
        `INSERT INTO withdrawals (account_id, key_id, network, currency, to_address, amount, fee, status, requested_at_ms)
VALUES (?, 'k', 'ETH', 'ETH', '0x', '1', '0', 'pending', 1)`,
      args: [BigInt(accountId)],
    });
    const entry = (kind: "hold" | "release") =>
      db.write({
        reads: [],
        decide: (view) =>
          view.insert(LedgerEntries, {
            accountId,
            network: "ETH",
            currency: "ETH",
            kind,
            amount: "0",
            balanceAfter: "10",
            heldAfter: "0",
            transactionId: null,
            withdrawalId: 1,
            note: null,
            createdAtMs: 1,
            value: null,
            valueCurrency: null,
          }),
      });
    await entry("hold");
    await entry("release");
    await assert.rejects(entry("hold"), { name: "UniqueConflict" });
    await assert.rejects(entry("release"), { name: "UniqueConflict" });
    assert.equal((await db.rows(LedgerEntries, "WHERE withdrawal_id = 1")).length, 2);
  },
);
