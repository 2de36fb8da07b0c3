import { ENDED } from "../withdrawals/table.ts";
import { type Db, queryOne } from "../store/engine/db.ts";
import { type PayeeRow, Payees } from "./table.ts";
import { columnList, rowsFromJson } from "../store/tables/table.ts";

const LISTED_MAX = 1_000;

/** One account's, or everybody's, without those removed. */
export function payees(
  db: Db,
  { accountId, afterId = 0, limit }: {
    accountId: number | undefined;
    afterId?: number;
    limit: number;
  },
): Promise<PayeeRow[]> {
  if (accountId === undefined) {
    return db.rows(Payees, "WHERE removed_at_ms IS NULL ORDER BY id LIMIT ?", [limit]);
  }
  return db.rows(
    Payees,
    `INDEXED BY payees_listed
WHERE account_id = ? AND removed_at_ms IS NULL AND id > ? ORDER BY id LIMIT ?`,
    [accountId, afterId, limit],
  );
}

export function payeesOf(
  db: Db,
  { accountId, network }: { accountId: number; network: string },
): Promise<PayeeRow[]> {
  return db.rows(
    Payees,
    "WHERE account_id = ? AND network = ? AND removed_at_ms IS NULL LIMIT ?",
    [accountId, network, LISTED_MAX],
  );
}

type Place = Pick<PayeeRow, "accountId" | "network" | "address">;

/** Which of these are payees, or were. */
export async function payeesAt(db: Db, places: readonly Place[]): Promise<PayeeRow[]> {
  const row = await queryOne(
    db,
    `SELECT json_group_array(json_array(${columnList(Payees, "p")})) AS found
FROM json_each(?) AS s
CROSS JOIN payees AS p
WHERE p.account_id = s.value ->> 0 AND p.network = s.value ->> 1 AND p.address = s.value ->> 2`,
    [JSON.stringify(
      places.map(({ accountId, network, address }) => [accountId, network, address]),
    )],
  );
  return rowsFromJson(Payees, row.found);
}

/** Whoever was paid before at an address with the same beginning; a refused trap isn't one. */
export async function recipientsLike(
  db: Db,
  { accountId, network, begin }: { accountId: number; network: string; begin: string },
): Promise<string[]> {
  const rows = await db.query(
    `SELECT DISTINCT to_address
FROM withdrawals INDEXED BY withdrawals_recipient
WHERE account_id = ? AND lower(to_address) >= ? AND lower(to_address) < ? AND network = ?
  AND ${ENDED} AND status = 'confirmed'
LIMIT ?`,
    [accountId, begin, `${begin}~`, network, LISTED_MAX],
  );
  return rows.map((row) => String(row.to_address));
}
