import { type Db, queryOne } from "../engine/db.ts";

/** Ids that outsiders know, or that keys are derived from. */
const PUBLIC_IDS = [
  ...["accounts", "deposit_requests", "transactions", "withdrawals"],
  ...["invoices", "payment_links", "refund_links"],
];

/**
 * New records and deposit addresses are numbered from here on. Pool addresses may have been
 * assigned since the backup, so they wait as long as newly assigned ones.
 */
export async function numberFrom(
  db: Db,
  { first, poolFromMs }: { first: number; poolFromMs: number },
): Promise<void> {
  const tables = JSON.stringify(PUBLIC_IDS);
  await db.execute([
    {
      sql: `UPDATE write_clock
SET epoch = epoch + 1, deposit_index_from = ?
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
    {
      sql: `UPDATE addresses
SET reusable_at_ms = ?
WHERE reusable_at_ms < ?`,
      args: [poolFromMs, poolFromMs],
    },
  ]);
}

/** Those of the installation that was copied don't serve the copy. */
export async function forgetServers(db: Db): Promise<void> {
  await db.execute([{ sql: "DELETE FROM instances", args: [] }]);
}

/** Following a chain updates this every few seconds; without that, the last thing people did counts. */
export async function lastWrittenAtMs(db: Db): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT max(
  ifnull((SELECT max(updated_at_ms) FROM network_cursors), 0),
  ifnull((SELECT at_ms FROM audit_log WHERE id = (SELECT max(id) FROM audit_log)), 0)) AS at_ms`,
  );
  return Number(row.at_ms);
}
