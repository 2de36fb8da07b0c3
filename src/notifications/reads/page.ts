import { type Db, queryOne } from "../../store/engine/db.ts";
import { type AlertRow, Alerts } from "../../alerts/table.ts";

/** Higher counts are shown as "99+". */
const NOTICES_MAX = 99;

export function countText(count: number): string {
  return count > NOTICES_MAX ? `${NOTICES_MAX}+` : String(count);
}

/** The newest are searched for those of one account. */
const SEARCHED_MAX = 1_000;

/** About what an account's own users can see and do something about. */
const CONCERNS_ACCOUNT = `id IN (
  SELECT a.id FROM (SELECT * FROM alerts WHERE open = 1 ORDER BY id DESC LIMIT ${SEARCHED_MAX}) AS a
  WHERE a.kind IN (
      'account_failing', 'hot_wallet_low', 'recipient_failing', 'withdrawals_failing')
      AND instr(a.subject || ' ', ?1) > 0
    OR a.kind IN ('webhook_dead', 'webhook_disabled') AND EXISTS (
      SELECT 1 FROM webhook_endpoints AS e
      WHERE e.id = CAST(substr(a.subject, 9) AS INTEGER) AND e.account_id = ?2)
    OR a.kind IN ('withdrawal_dropped', 'withdrawal_unpaid') AND EXISTS (
      SELECT 1 FROM withdrawals AS w
      WHERE w.id = CAST(substr(a.subject, 12) AS INTEGER) AND w.account_id = ?2)
  LIMIT ?3
)`;

/** Newest first. */
export function noticesOf(
  db: Db,
  { accountId, limit }: { accountId: number; limit: number },
): Promise<AlertRow[]> {
  return db.rows(Alerts, `WHERE ${CONCERNS_ACCOUNT} ORDER BY id DESC`, [
    `account:${accountId} `,
    accountId,
    limit,
  ]);
}

/** How many open alerts concern the account; null: all of the installation. */
export async function countNotices(db: Db, accountId: number | null): Promise<number> {
  if (accountId !== null) {
    const { count } = await queryOne(
      db,
      `SELECT count(*) AS count FROM alerts WHERE ${CONCERNS_ACCOUNT}`,
      [`account:${accountId} `, accountId, NOTICES_MAX + 1],
    );
    return Number(count);
  }
  const { count } = await queryOne(
    db,
    "SELECT count(*) AS count FROM (SELECT 1 FROM alerts WHERE open = 1 LIMIT ?)",
    [NOTICES_MAX + 1],
  );
  return Number(count);
}
