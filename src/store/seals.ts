import { invariant } from "../base/assert.ts";
import { Lru } from "../base/lru.ts";
import type { Mac } from "../base/mac.ts";
import { type RowValue, sealRead, type Table, toValues } from "./table.ts";

const REMEMBERED_MAX = 20_000;

/** What proves that this program, or another one with the same key, wrote a row as it is. */
export class Seals {
  /** What was sealed or found right lately, by its seal: the same row comes again and again. */
  readonly #remembered = new Lru<string, string>(REMEMBERED_MAX);

  /** `log`: after which row the hashes of the audit log are keyed as well; null: none yet. */
  constructor(
    readonly mac: Mac,
    readonly log: { readonly id: number; readonly hash: string | null } | null,
    /** The next row of the log is its first keyed one. */
    readonly isBeginning = false,
  ) {}

  /** Of a row as the plain values that are stored. */
  of(table: Table<object>, values: readonly RowValue[]): string {
    const text = textOf(table, values);
    const seal = this.mac(text);
    this.#remembered.set(seal, text);
    return seal;
  }

  isRight(table: Table<object>, row: object): boolean {
    const seal = sealRead(row);
    if (seal === null) return false;
    const text = textOf(table, toValues(table, row));
    if (this.#remembered.get(seal) === text) return true;
    if (this.mac(text) !== seal) return false;
    this.#remembered.set(seal, text);
    return true;
  }
}

/** Different for any two rows of any two tables. A column that is null, or not there yet, is left out. */
function textOf(table: Table<object>, values: readonly RowValue[]): string {
  invariant(table.guarded, () => `Rows of ${table.name} carry no seal`);
  let text = `row/${table.name}`;
  for (const i of table.guarded) {
    const value = values[i]!;
    if (value === null) continue;
    const told = String(value);
    text += `;${table.columns[i]!.name}:${told.length}:${told}`;
  }
  return text;
}
