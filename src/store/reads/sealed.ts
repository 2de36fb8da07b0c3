import type { Db } from "../engine/db.ts";
import { columnName, PRIMARY, type RowValue, type Table, valuesOf } from "../tables/table.ts";
import { TABLES } from "../tables/tables.ts";

/** Every table with secrets sealed with the master key. */
export const SEALED_TABLES = TABLES.filter(({ sealed }) => sealed.length > 0);
/** Every table whose rows carry a keyed hash. */
export const GUARDED_TABLES = TABLES.filter(({ guarded }) => guarded !== undefined);

export function primaryKeyOf(table: Table<object>, row: object): RowValue[] {
  return valuesOf(row, table.keys[PRIMARY]);
}

/** A page in primary key order. */
export function rowsAfter<Row extends object>(
  db: Db,
  table: Table<Row>,
  { after, limit }: { after: readonly RowValue[] | undefined; limit: number },
): Promise<Row[]> {
  const key = table.keys[PRIMARY].map((field) => columnName(table, field)).join(", ");
  const from = after ? `WHERE (${key}) > (${after.map(() => "?").join(", ")})` : "";
  return db.rows(table, `${from} ORDER BY ${key} LIMIT ${limit}`, after ?? []);
}
