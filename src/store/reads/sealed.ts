import type { Db } from "../engine/db.ts";
import {
  type AnyRow,
  columnName,
  PRIMARY,
  type RowValue,
  type Table,
  valuesOf,
} from "../tables/table.ts";
import { TABLES } from "../tables/tables.ts";

/** Every table with secrets encrypted with the master key. */
export const ENCRYPTED_TABLES = TABLES.filter(({ encrypted }) => encrypted.length > 0);
/** Every table whose rows carry a seal. */
export const SEALED_TABLES = TABLES.filter(({ sealedColumns }) => sealedColumns !== undefined);

export function primaryKeyOf(table: Table<AnyRow>, row: AnyRow): RowValue[] {
  return valuesOf(row, table.keys[PRIMARY]);
}

/** A page in primary key order. */
export function rowsAfter<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { after, limit }: { after: readonly RowValue[] | undefined; limit: number },
): Promise<Row[]> {
  const key = table.keys[PRIMARY].map((field) => columnName(table, field)).join(", ");
  const from = after ? `WHERE (${key}) > (${after.map(() => "?").join(", ")})` : "";
  return db.rows(table, `${from} ORDER BY ${key} LIMIT ${limit}`, after ?? []);
}
