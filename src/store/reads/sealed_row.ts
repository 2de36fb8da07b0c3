import { OperatorError } from "../../domain/refusal.ts";
import { SEALED_TABLES } from "./sealed.ts";
import { type AnyRow, PRIMARY, type RowValue, type Table } from "../tables/table.ts";

export interface SealedRow {
  readonly table: Table<AnyRow>;
  readonly values: readonly RowValue[];
}

/** Finds a row by table name and key, whose parts are separated by "/". */
export function sealedRow(name: string, key: string): SealedRow {
  const table = SEALED_TABLES.find((one) => one.name === name);
  if (!table) {
    const names = SEALED_TABLES.map((one) => one.name).join(", ");
    throw new OperatorError(`"${name}" is none of the tables with seals: ${names}`);
  }
  const fields = table.keys[PRIMARY];
  const parts = key.split("/");
  const values = parts.map((part, i) => {
    const column = table.columns.find(({ field }) => field === fields[i]);
    return column?.type === "int" ? Number(part) : part;
  });
  const isWhole = parts.length === fields.length &&
    values.every((value) => typeof value === "string" || Number.isSafeInteger(value));
  if (!isWhole) {
    throw new OperatorError(`"${key}" is no row of ${name}: its key is ${fields.join("/")}`);
  }
  return { table, values };
}
