import type { Db } from "../../store/engine/db.ts";
import { type AlertRow, Alerts } from "../../alerts/table.ts";
import type { TransactionRow } from "../tables/transactions.ts";

const ALERTS_LOOKED_AT_MAX = 1_000;

/** The user whose address received each row; pool addresses belong to nobody. */
export async function usersOf(
  db: Db,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(rows.flatMap(({ addressId }) => addressId === null ? [] : [addressId]))];
  const found = await db.query(
    `SELECT id, user_identifier
FROM addresses
WHERE id IN (SELECT value FROM json_each(?)) AND user_identifier IS NOT NULL`,
    [JSON.stringify(ids)],
  );
  return new Map(found.map((row) => [Number(row.id), String(row.user_identifier)]));
}

/** Unexplained coins on deposit addresses, newest first, among the newest open alerts. */
export function surplusAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  return db.rows(
    Alerts,
    `WHERE id IN (SELECT id FROM alerts WHERE open = 1 AND id > 0 ORDER BY id DESC LIMIT ?)
  AND +kind = 'deposit_surplus'
ORDER BY id DESC LIMIT ?`,
    [ALERTS_LOOKED_AT_MAX, limit],
  );
}
