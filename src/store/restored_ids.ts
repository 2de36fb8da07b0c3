import type { Db } from "./db.ts";

/** Ids that are told outside, or that keys are derived by. */
const TOLD = ["accounts", "deposit_requests", "transactions", "withdrawals"];

/** New records and new deposit addresses are numbered from here on. */
export async function numberFrom(db: Db, first: number): Promise<void> {
  const tables = JSON.stringify(TOLD);
  await db.execute([
    {
      sql: `UPDATE write_clock
SET epoch = epoch + 1, deposit_index_from = max(deposit_index_from, ?)
WHERE id = 1`,
      args: [first],
    },
    {
      sql: `INSERT INTO sqlite_sequence (name, seq)
SELECT value, 0
FROM json_each(?)
WHERE value NOT IN (SELECT name FROM sqlite_sequence)`,
      args: [tables],
    },
    {
      sql: `UPDATE sqlite_sequence
SET seq = max(seq, ?)
WHERE name IN (SELECT value FROM json_each(?))`,
      args: [first - 1, tables],
    },
  ]);
}
