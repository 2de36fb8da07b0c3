import type { Amount } from "../../domain/money/amount.ts";
import {
  type AnyRow,
  type KeyText,
  keyText,
  type KeyValues,
  PRIMARY,
  type RowValue,
  type Table,
} from "../tables/table.ts";

/** Rows to load before a unit decides: by table, key and values. */
export interface Read<Row extends AnyRow = AnyRow> {
  readonly table: Table<AnyRow>;
  readonly key: string;
  readonly values: readonly RowValue[];
  /** The values as a key. */
  readonly text: KeyText;
  /** Only for the type checker. */
  readonly row?: Row;
}

/** What an amount is worth in a currency. */
interface Worth {
  readonly value: string;
  readonly valueCurrency: string;
}

interface Owned {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly amount: Amount;
  readonly nowMs: number;
}

/** In the currency that the account reports in; null: it reports in none, or there is no rate. */
export type WorthOf = (owned: Owned) => Worth | null;

/** What new rows use up: what payouts may store, what everything else may, or nothing. */
export type Share = "orders" | "payouts" | "none";

/** Loaded rows, with the changes of earlier units in the group. */
export interface LookUps {
  find<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key?: string): Row | undefined;
  /** Like `find`, for a row that must be there. */
  get<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key?: string): Row;
  /** Like `find`, for an existing read, whose values needn't be turned into a key again. */
  rowOf<Row extends AnyRow>(read: Read<Row>): Row | undefined;
}

/** What a unit sees and changes. A sealed row that isn't genuine is a `TamperedRow`. */
export interface View extends LookUps {
  /** Not verified: for what repairs, seals or counts rows that somebody else changed. */
  readonly raw: LookUps;
  /** One time for all units of a group, so that their rows have a column in common. */
  readonly nowMs: number;
  insert<Row extends AnyRow & { id: number }>(table: Table<Row>, row: Omit<Row, "id">): Row;
  insertKeyed<Row extends AnyRow>(table: Table<Row>, row: Row): Row;
  update<Row extends AnyRow>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row;
  remove<Row extends AnyRow>(table: Table<Row>, row: Row): void;
  /** The highest id given so far; a different one later means that rows were added. */
  lastId<Row extends AnyRow & { id: number }>(table: Table<Row>): number;
  /** The newest ledger entry that released a hold, before this group. */
  readonly lastReleaseId: number;
  /** Whether this program wrote a raw row as it is. */
  isGenuine<Row extends AnyRow>(table: Table<Row>, row: Row): boolean;
  /** Seals the row as it is, whoever wrote it: an operator has looked. */
  accept<Row extends AnyRow>(table: Table<Row>, row: Row): void;
  /** A guard of dual control let the unit go on: from here, it may change guarded rows. */
  guardPassed(): void;
  /** Changes guarded rows without a guard, and says why no second person is needed. */
  atOnce(why: string): View;
  /** As known before the unit: nothing in it waits for a rate. */
  readonly worthOf: WorthOf;
  /** The unit works for this account: what it stores without an account counts as that one's. */
  charge(accountId: number): void;
  /** Of the unit's new rows, or of this one alone. A unit that changes a payout counts as payouts. */
  countAs(share: Share, row?: AnyRow): void;
  /** What follows from the unit later, by the clock alone, counts for the account now. */
  countAhead(accountId: number, bytes: number): void;
  /** How many bytes were stored for the account today; its row of `StorageUses` must be read. */
  storedToday(accountId: number, share?: Exclude<Share, "none">): number;
  /** Adjusts the kept sum of balances to the rows: an operator has looked. */
  correctSum(by: bigint): void;
}

export function read<Row extends AnyRow>(
  table: Table<Row>,
  values: readonly RowValue[],
  key: string = PRIMARY,
): Read<Row> {
  return { table: table, key, values, text: keyText(values) };
}

/** Several reads by primary key. */
export function readAll<Row extends AnyRow>(
  table: Table<Row>,
  keys: readonly (readonly RowValue[])[],
): Read[] {
  return keys.map((values) => read(table, values));
}

/** A unit wanted a key that another row has: a lost race, to be decided again or refused. */
export class UniqueConflict extends Error {
  override name = "UniqueConflict";

  constructor(readonly table: string, readonly key: string) {
    super(`Another row of ${table} has this ${key} key`);
  }
}
