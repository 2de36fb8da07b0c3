import { invariant } from "../../base/assert.ts";
import type { Mac } from "../../base/secrets/mac.ts";
import {
  type AnyRow,
  type RowValue,
  sealRead,
  type Table,
  toValues,
  valueText,
} from "../tables/table.ts";

/** Proves that a program with our key wrote a row as it is. */
export class Seals {
  /** `log`: the row after which the audit log's hashes are keyed; null: not keyed yet. */
  constructor(
    readonly mac: Mac,
    readonly log: { readonly id: number; readonly hash: string | null } | null,
    { isBeginning = false, summedFromMs = null }: {
      isBeginning?: boolean;
      summedFromMs?: number | null;
    } = {},
  ) {
    this.isBeginning = isBeginning;
    this.summedFromMs = summedFromMs;
  }

  /** The log's next row is its first keyed one. */
  readonly isBeginning: boolean;
  /** Null: balances aren't summed yet; afterwards, books without a sum have lost it. */
  readonly summedFromMs: number | null;

  get areSummed(): boolean {
    return this.summedFromMs !== null;
  }

  /** The highest id seen in the log. */
  newestLogId = 0;
  /** The log once reached this id and was shorter later, so its rows up to here prove nothing. */
  lostLogId = 0;

  /** Notes the last id that a read returned; when it was sent, the log was known to reach `leastId`. */
  noteLog(id: number, leastId: number): void {
    if (id < leastId) this.lostLogId = this.newestLogId;
    // Answers may arrive in a different order.
    else this.newestLogId = Math.max(this.newestLogId, id);
  }

  /** The seal of a row, given its stored values. */
  of(table: Table<AnyRow>, values: readonly RowValue[]): string {
    return this.mac(sealedText(table, values));
  }

  /** Rows never change, and many requests may be answered with the same one. */
  readonly #right = new WeakSet<object>();

  isRight(table: Table<AnyRow>, row: AnyRow): boolean {
    if (this.#right.has(row)) return true;
    const seal = sealRead(row);
    const isRight = seal !== null && this.of(table, toValues(table, row)) === seal;
    if (isRight) this.#right.add(row);
    return isRight;
  }
}

/**
 * Different for any two rows of any tables. Trailing nulls are left out: a column added later comes
 * last and is null in older rows, so their seals still hold.
 */
export function sealedText(table: Table<AnyRow>, values: readonly RowValue[]): string {
  const { sealedColumns } = table;
  invariant(sealedColumns, () => `Rows of ${table.name} carry no seal`);
  const isWhole = sealedColumns.length === table.columns.length;
  let length = sealedColumns.length;
  while (length > 0 && values[sealedColumns[length - 1]!] === null) length--;
  let text = `row/${table.name}/`;
  for (let i = 0; i < length; i++) text += valueText(values[isWhole ? i : sealedColumns[i]!]!);
  return text;
}

/** Whether a field that the seal covers differs. */
export function isSealedChange(table: Table<AnyRow>, stored: AnyRow, row: AnyRow): boolean {
  const fieldOf = (row: AnyRow, i: number) => row[table.columns[i]!.field];
  return table.sealedColumns!.some((i) => fieldOf(stored, i) !== fieldOf(row, i));
}
