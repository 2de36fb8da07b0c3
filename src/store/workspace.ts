import { invariant, InvariantError } from "../base/assert.ts";
import { readSealed } from "../base/sealed_text.ts";
import { Unavailable } from "./faults.ts";
import { type Entry, LoadedRows, type RowChanges } from "./loaded_rows.ts";
import { keyText, PRIMARY, type RowValue, type Table } from "./table.ts";

/** Rows to load before a unit decides: this table, by this key, with these values. */
export interface Read {
  readonly table: Table<object>;
  readonly key: string;
  readonly values: readonly RowValue[];
  /** The values as a key. */
  readonly text: string;
}

/** What a unit sees and changes: the loaded rows with the changes of the units before it. */
export interface View {
  find<Row extends object>(
    table: Table<Row>,
    values: readonly RowValue[],
    key?: string,
  ): Row | undefined;
  insert<Row extends { id: number }>(table: Table<Row>, row: Omit<Row, "id">): Row;
  insertKeyed<Row extends object>(table: Table<Row>, row: Row): Row;
  update<Row extends object>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row;
  remove<Row extends object>(table: Table<Row>, row: Row): void;
  /** The highest id that was given; another one later tells that rows were added. */
  lastId<Row extends { id: number }>(table: Table<Row>): number;
}

export function read<Row extends object>(
  table: Table<Row>,
  values: readonly RowValue[],
  key: string = PRIMARY,
): Read {
  return { table: table as Table<object>, key, values, text: keyText(values) };
}

/** Several reads by the primary key. */
export function readAll<Row extends object>(
  table: Table<Row>,
  keys: readonly (readonly RowValue[])[],
): Read[] {
  return keys.map((values) => read(table, values));
}

export type Changes = Map<Table<object>, RowChanges>;

interface Undo {
  readonly rows: LoadedRows;
  readonly entry: Entry;
  readonly before: object | undefined;
}

/** What a group of units knows and changes, in memory, with an undo for a unit that fails. */
export class Workspace implements View {
  readonly #tables = new Map<Table<object>, LoadedRows>();
  #undo: Undo[] = [];

  /** `sealKeyId`: the master key that secrets must be sealed with, null: any. */
  constructor(readonly lastIds: Map<string, number>, readonly sealKeyId: string | null = null) {}

  /** What reads of one table found. */
  load(reads: Iterable<Read>, rows: readonly object[]): void {
    let loaded: LoadedRows | undefined;
    for (const { table, key, text } of reads) {
      loaded = this.#rowsOf(table);
      loaded.look(key, text);
    }
    for (const row of rows) loaded!.load(row);
  }

  find<Row extends object>(
    table: Table<Row>,
    values: readonly RowValue[],
    key = PRIMARY,
  ): Row | undefined {
    const rows = this.#rowsOf(table);
    const text = keyText(values);
    const entry = rows.find(key, text);
    if (!entry && !rows.wasLookedFor(key, text)) {
      throw new InvariantError(
        `A unit looked for ${table.name} ${key} ${JSON.stringify(values)} without declaring it`,
      );
    }
    return entry?.row as Row | undefined;
  }

  insert<Row extends { id: number }>(table: Table<Row>, row: Omit<Row, "id">): Row {
    const id = (this.lastIds.get(table.name) ?? 0) + 1;
    this.lastIds.set(table.name, id);
    return this.insertKeyed(table, { ...row, id } as Row);
  }

  insertKeyed<Row extends object>(table: Table<Row>, row: Row): Row {
    const rows = this.#rowsOf(table);
    const entry = rows.entry(rows.idOf(row));
    if (entry.row) throw new UniqueConflict(table.name, PRIMARY);
    this.#set(rows, entry, row);
    return row;
  }

  update<Row extends object>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row {
    const { rows, entry } = this.#present(table, row);
    const next = { ...entry.row, ...patch } as Row;
    this.#set(rows, entry, next);
    return next;
  }

  remove<Row extends object>(table: Table<Row>, row: Row): void {
    const { rows, entry } = this.#present(table, row);
    this.#set(rows, entry, undefined);
  }

  lastId<Row extends { id: number }>(table: Table<Row>): number {
    return this.lastIds.get(table.name) ?? 0;
  }

  /** Runs one unit; when it throws, its changes are undone and its neighbours' stay. */
  attempt<T>(decide: (view: View) => T): T {
    this.#undo = [];
    try {
      return decide(this);
    } catch (error) {
      for (const { rows, entry, before } of this.#undo.reverse()) {
        invariant(rows.put(entry, before) === undefined, "What is undone was free before");
      }
      throw error;
    }
  }

  changes(): Changes {
    const all: Changes = new Map();
    for (const [table, rows] of this.#tables) {
      const changes = rows.changes();
      if (changes) all.set(table, changes);
    }
    return all;
  }

  changedFields(table: Table<object>, updated: readonly object[]): Set<string> {
    return this.#rowsOf(table).changedFields(updated);
  }

  takeovers(table: Table<object>, updated: readonly object[]): Set<object> {
    return this.#rowsOf(table).takeovers(updated);
  }

  #set(rows: LoadedRows, entry: Entry, row: object | undefined): void {
    const before = entry.row;
    if (row) this.#refuseOldSeal(rows.table, row, before);
    const taken = rows.put(entry, row);
    if (taken !== undefined) throw new UniqueConflict(rows.table.name, taken);
    this.#undo.push({ rows, entry, before });
  }

  #present(table: Table<object>, row: object): { rows: LoadedRows; entry: Entry } {
    const rows = this.#rowsOf(table);
    const entry = rows.find(PRIMARY, rows.idOf(row));
    invariant(entry?.row, "A row that is changed is loaded");
    return { rows, entry };
  }

  /** Who still has the old master key after it was changed must not leave a secret sealed with it. */
  #refuseOldSeal({ sealed }: Table<object>, row: object, before: object | undefined): void {
    if (this.sealKeyId === null) return;
    for (const { field } of sealed) {
      const text = (row as Record<string, string | null>)[field];
      const isKept = text === (before as Record<string, unknown> | undefined)?.[field];
      if (text && !isKept && readSealed(text).keyId !== this.sealKeyId) {
        throw new Unavailable("The master key is being changed: try again in a moment");
      }
    }
  }

  #rowsOf(table: Table<object>): LoadedRows {
    let rows = this.#tables.get(table);
    if (!rows) this.#tables.set(table, rows = new LoadedRows(table));
    return rows;
  }
}

/** A unit wanted a key that another row holds: a lost race, to be decided again or refused. */
export class UniqueConflict extends Error {
  override name = "UniqueConflict";

  constructor(readonly table: string, readonly key: string) {
    super(`Another row of ${table} has this ${key} key`);
  }
}
