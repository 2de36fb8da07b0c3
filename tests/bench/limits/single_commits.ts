import { present } from "../../../src/base/assert.ts";

/** The rows of one hold, written with the client as its manual says: one transaction each. */
export async function singleCommits(
  { url, accountId, keyId, count }: {
    url: string;
    accountId: number;
    keyId: string;
    count: number;
  },
): Promise<void> {
  const { createClient } = url.startsWith("file:")
    ? await import("@libsql/client/sqlite3")
    : await import("@libsql/client/web");
  const client = createClient({ url, concurrency: 1 });
  const asset = [BigInt(accountId), "ETH", "ETH"];
  for (let i = 0; i < count; i++) {
    const transaction = await client.transaction("write");
    const { rows } = await transaction.execute({
      sql: `SELECT balance, held FROM balances
WHERE account_id = ? AND network = ? AND currency = ?`,
      args: asset,
    });
    const { balance, held } = present(rows[0], "The account has money");
    const heldAfter = String(Number(held) + 1);
    await transaction.execute({
      sql: `UPDATE balances SET held = ?
WHERE account_id = ? AND network = ? AND currency = ?`,
      args: [heldAfter, ...asset],
    });
    const { lastInsertRowid } = await transaction.execute({
      sql: `INSERT INTO withdrawals (account_id, network, currency, key_id, client_reference,
  to_address, amount, fee, status, requested_at_ms)
VALUES (?, ?, ?, ?, ?, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '1', '0', 'pending', 0)`,
      args: [...asset, keyId, crypto.randomUUID()],
    });
    await transaction.execute({
      sql: `INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after,
  held_after, withdrawal_id, created_at_ms)
VALUES (?, ?, ?, 'hold', '1', ?, ?, ?, 0)`,
      args: [...asset, String(balance), heldAfter, present(lastInsertRowid, "It has an id")],
    });
    await transaction.execute({
      sql: `INSERT INTO audit_log (at_ms, actor, action, subject, detail)
VALUES (0, 'bench', 'withdrawal.requested', 'withdrawal', '{}')`,
    });
    await transaction.commit();
  }
  client.close();
}
