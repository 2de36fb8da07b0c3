import { type AccountRow, Accounts } from "../../accounts/tables/accounts.ts";
import { type BalanceRow, Balances, type FreezeRow, Freezes } from "../../books/table.ts";
import { type Db, queryOne } from "../engine/db.ts";
import { type AnyRow, columnList, rowsFromJson, type Table } from "../tables/table.ts";

/** All accounts, newest first; undefined if there are more than `max`. */
export function fewAccounts(db: Db, max: number): Promise<AccountRow[] | undefined> {
  return allIfFew(db, Accounts, { order: "id DESC", max });
}

export function fewBalances(db: Db, max: number): Promise<BalanceRow[] | undefined> {
  return allIfFew(db, Balances, { order: "account_id, network, currency", max });
}

/** Stops counting as soon as there are too many. */
async function allIfFew<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { order, max }: { order: string; max: number },
): Promise<Row[] | undefined> {
  const found = await queryOne(
    db,
    `SELECT iif((SELECT count(*) FROM (SELECT 1 FROM ${table.name} LIMIT ?2)) > ?1, NULL,
  (SELECT json_group_array(json_array(${columnList(table)}))
  FROM (SELECT * FROM ${table.name} ORDER BY ${order} LIMIT ?1))) AS rows`,
    [max, max + 1],
  );
  if (found.rows === null) return undefined;
  return rowsFromJson(table, found.rows);
}

/** Oldest first. */
export function allFreezes(db: Db): Promise<FreezeRow[]> {
  return db.rows(Freezes, "ORDER BY created_at_ms, account_id, network, currency");
}
