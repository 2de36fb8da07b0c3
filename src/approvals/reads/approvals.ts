import type { Db } from "../../store/engine/db.ts";
import { type ApprovalRequestRow, ApprovalRequests } from "../table.ts";

/** Waiting for people, those that expire first. */
export function openRequests(
  db: Db,
  { accountId = null, limit }: { accountId?: number | null; limit: number },
): Promise<ApprovalRequestRow[]> {
  if (accountId !== null) {
    return db.rows(
      ApprovalRequests,
      `INDEXED BY approval_requests_account
WHERE account_id = ? AND open = 1 ORDER BY expires_at_ms LIMIT ?`,
      [accountId, limit],
    );
  }
  return db.rows(
    ApprovalRequests,
    "INDEXED BY approval_requests_open WHERE open = 1 ORDER BY expires_at_ms LIMIT ?",
    [limit],
  );
}

/** The withdrawals whose time to be approved is over, by their ids. */
export async function expiredRequests(
  db: Db,
  { nowMs, afterId, limit }: { nowMs: number; afterId: number; limit: number },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT withdrawal_id
FROM approval_requests INDEXED BY approval_requests_open
WHERE open = 1 AND expires_at_ms <= ? AND withdrawal_id > ?
ORDER BY withdrawal_id
LIMIT ?`,
    [nowMs, afterId, limit],
  );
  return rows.map((row) => Number(row.withdrawal_id));
}
