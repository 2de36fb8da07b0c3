import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../base/bytes.ts";
import { type RowValue, type Table, toValues } from "./table.ts";

/** The rows with their hashes, each of which holds the one before it. */
export function chainRows<Row extends object>(
  table: Table<Row>,
  rows: readonly Row[],
  lastHash: string | null,
): Row[] {
  let hash = lastHash;
  return rows.map((row) => {
    hash = chainHash(hash, { table, values: toValues(table, row) });
    return { ...row, hash };
  });
}

/** Of every column as it is stored, its own hash left out. */
export function chainHash(
  before: string | null,
  { table, values }: { table: Table<object>; values: readonly RowValue[] },
): string {
  const told = values.filter((_, i) => table.columns[i]!.field !== "hash");
  return toHex(sha256(utf8(`${before ?? ""}\n${JSON.stringify(told)}`)));
}
