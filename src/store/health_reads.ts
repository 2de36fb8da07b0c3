import type { Db } from "./db.ts";
import type { NetworkCursorRow } from "./rows.ts";
import { NetworkCursors } from "./chain_tables.ts";

/** How far each active network was read. */
export function networkHealth(db: Db): Promise<NetworkCursorRow[]> {
  return db.rows(
    NetworkCursors,
    "WHERE network IN (SELECT code FROM networks WHERE is_active = 1) ORDER BY network",
  );
}

/** What is under way or waits for somebody. */
export async function openCounts(
  db: Db,
): Promise<{ withdrawals: number; deposits: number; alerts: number }> {
  const [row] = await db.query(`SELECT
  (SELECT count(*) FROM withdrawals WHERE status IN ('pending', 'broadcasted')) AS withdrawals,
  (SELECT count(*) FROM transactions WHERE status = 'detected' AND direction = 'deposit') AS deposits,
  (SELECT count(*) FROM alerts WHERE open = 1) AS alerts`);
  return {
    withdrawals: Number(row!.withdrawals),
    deposits: Number(row!.deposits),
    alerts: Number(row!.alerts),
  };
}
