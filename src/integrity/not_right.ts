import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { AnyRow, Table } from "../store/tables/table.ts";
import { tampered } from "../store/engine/tampered_row.ts";

export function notRight<Row extends AnyRow>(table: Table<Row>, row: Row): ActionRefused {
  return refuse("row_tampered", { table: table.name, key: tampered(table, row).key });
}
