import { sha256HexNow } from "../base/crypto.ts";
import type { RowValue, Table } from "./table.ts";

/** Gives each row its hash, which holds the one of the row before. */
export function chainRows(
  table: Table<object>,
  rows: readonly RowValue[][],
  lastHash: string | null,
): void {
  const at = table.columns.findIndex(({ field }) => field === "hash");
  let hash = lastHash;
  for (const values of rows) values[at] = hash = chainHash(hash, { table, values });
}

/** Of every column as it is stored, its own hash left out. */
export function chainHash(
  before: string | null,
  { table, values }: { table: Table<object>; values: readonly RowValue[] },
): string {
  const told = values.filter((_, i) => table.columns[i]!.field !== "hash");
  return sha256HexNow(`${before ?? ""}\n${JSON.stringify(told)}`);
}
