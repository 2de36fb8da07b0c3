import { invariant } from "../../base/assert.ts";
import type { Mac } from "../../base/secrets/mac.ts";
import { type RowValue, sealRead, type Table, toValues } from "../tables/table.ts";

/** What proves that this program, or another one with the same key, wrote a row as it is. */
export class Seals {
  /** `log`: after which row the hashes of the audit log are keyed as well; null: none yet. */
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

  /** The next row of the log is its first keyed one. */
  readonly isBeginning: boolean;
  /** Null: the balances are not summed yet; otherwise books without their sum have lost it. */
  readonly summedFromMs: number | null;

  get areSummed(): boolean {
    return this.summedFromMs !== null;
  }

  /** How far the log was seen to reach. */
  newestLogId = 0;
  /** The log once reached to here and was shorter later: its rows up to here prove nothing. */
  lostLogId = 0;

  /** How far the log reaches, as a read told that was asked when it was known to reach `leastId`. */
  noteLog(id: number, leastId: number): void {
    if (id < leastId) this.lostLogId = this.newestLogId;
    // Answers may come in another order than they were asked for.
    else this.newestLogId = Math.max(this.newestLogId, id);
  }

  /** Of a row as the plain values that are stored. */
  of(table: Table<object>, values: readonly RowValue[]): string {
    return this.mac(sealedText(table, values));
  }

  isRight(table: Table<object>, row: object): boolean {
    const seal = sealRead(row);
    return seal !== null && this.of(table, toValues(table, row)) === seal;
  }
}

/**
 * Different for any two rows of any two tables. Nulls at the end are left out: a column that comes
 * later stands last and is null in the rows of before, so that their seals still hold.
 */
export function sealedText(table: Table<object>, values: readonly RowValue[]): string {
  const { guarded } = table;
  invariant(guarded, () => `Rows of ${table.name} carry no seal`);
  const isWhole = guarded.length === table.columns.length;
  let length = guarded.length;
  while (length > 0 && values[guarded[length - 1]!] === null) length--;
  let text = `row/${table.name}/`;
  for (let i = 0; i < length; i++) text += valueText(values[isWhole ? i : guarded[i]!]!);
  return text;
}

/** Says where it ends: no two rows of values make one text. It takes a third of what JSON takes. */
function valueText(value: RowValue): string {
  if (value === null) return "-";
  return typeof value === "number" ? `#${value};` : `${value.length}:${value}`;
}
