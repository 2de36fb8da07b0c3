import { invariant, present } from "../base/assert.ts";
import { readSealed } from "../base/sealed_text.ts";
import { Unavailable } from "./faults.ts";
import { PRIMARY, type RowValue, type Table } from "./table.ts";

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
}

export function read<Row extends object>(
  table: Table<Row>,
  values: readonly RowValue[],
  key: string = PRIMARY,
): Read {
  return { table: table as Table<object>, key, values, text: JSON.stringify(values) };
}

/** Several reads by the primary key. */
export function readAll<Row extends object>(
  table: Table<Row>,
  keys: readonly (readonly RowValue[])[],
): Read[] {
  return keys.map((values) => read(table, values));
}

export type Change = "insert" | "update" | "delete";
export type Changes = Map<Table<object>, Record<Change, object[]>>;

interface Entry {
  row: object | undefined;
  readonly stored: object | undefined;
}

/** The rows of one group in memory, findable by each of their keys, with an undo for a failed unit. */
export class Workspace implements View {
  readonly #entries = new Map<Table<object>, Map<string, Entry>>();
  readonly #indexes = new Map<Table<object>, Map<string, Map<string, string>>>();
  readonly #declared = new Set<string>();
  readonly #undo: (() => void)[] = [];

  /** `sealKeyId`: the master key that secrets must be sealed with, null: any. */
  constructor(readonly lastIds: Map<string, number>, readonly sealKeyId: string | null = null) {}

  /** What reads of one table found. */
  load(reads: readonly Read[], rows: readonly object[]): void {
    for (const read of reads) this.#declared.add(declaration(read));
    const { table } = reads[0]!;
    const entries = this.#entriesOf(table);
    for (const row of rows) {
      const id = keyText(table, row, PRIMARY)!;
      if (entries.has(id)) continue;
      entries.set(id, { row, stored: row });
      this.#index(table, row, id);
    }
  }

  find<Row extends object>(
    table: Table<Row>,
    values: readonly RowValue[],
    key = PRIMARY,
  ): Row | undefined {
    const any = table as Table<object>;
    const text = JSON.stringify(values);
    const id = key === PRIMARY ? text : this.#indexesOf(any).get(key)?.get(text);
    const entry = id === undefined ? undefined : this.#entriesOf(any).get(id);
    invariant(
      entry || this.#declared.has(declaration({ table: any, key, text })),
      `A unit looked for ${table.name} ${key} ${text} without declaring it`,
    );
    return entry?.row as Row | undefined;
  }

  insert<Row extends { id: number }>(table: Table<Row>, row: Omit<Row, "id">): Row {
    const id = (this.lastIds.get(table.name) ?? 0) + 1;
    this.lastIds.set(table.name, id);
    return this.insertKeyed(table, { ...row, id } as Row);
  }

  insertKeyed<Row extends object>(table: Table<Row>, row: Row): Row {
    const id = present(keyText(table as Table<object>, row, PRIMARY), "A row has a primary key");
    const entry = this.#entriesOf(table as Table<object>).get(id);
    if (entry?.row) throw new UniqueConflict(table.name, PRIMARY);
    this.#set(table as Table<object>, id, row);
    return row;
  }

  update<Row extends object>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row {
    const id = keyText(table as Table<object>, row, PRIMARY)!;
    const current = this.#entriesOf(table as Table<object>).get(id)?.row;
    invariant(current, `${table.name} ${id} is not loaded`);
    const next = { ...current, ...patch } as Row;
    this.#set(table as Table<object>, id, next);
    return next;
  }

  remove<Row extends object>(table: Table<Row>, row: Row): void {
    const id = keyText(table as Table<object>, row, PRIMARY)!;
    invariant(
      this.#entriesOf(table as Table<object>).get(id)?.row,
      `${table.name} ${id} is not loaded`,
    );
    this.#set(table as Table<object>, id, undefined);
  }

  /** Runs one unit; when it throws, its changes are undone and its neighbours' stay. */
  attempt<T>(decide: (view: View) => T): T {
    this.#undo.length = 0;
    try {
      return decide(this);
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    }
  }

  changes(): Changes {
    const all: Changes = new Map();
    for (const [table, entries] of this.#entries) {
      const changes: Record<Change, object[]> = { insert: [], update: [], delete: [] };
      for (const { row, stored } of entries.values()) {
        if (row === stored) continue;
        if (!stored) changes.insert.push(row!);
        else if (row) changes.update.push(row);
        else changes.delete.push(stored);
      }
      if (Object.values(changes).some((rows) => rows.length > 0)) {
        all.set(table, changes);
      }
    }
    return all;
  }

  /** The fields in which any of the updated rows differs from what is stored. */
  changedFields(table: Table<object>, updated: readonly object[]): Set<string> {
    const entries = this.#entriesOf(table);
    const fields = new Set<string>();
    for (const row of updated as readonly Record<string, unknown>[]) {
      const { stored } = entries.get(keyText(table, row, PRIMARY)!)!;
      for (const { field } of table.columns) {
        if (row[field] !== (stored as Record<string, unknown>)[field]) fields.add(field);
      }
    }
    return fields;
  }

  /** The updated rows that take a unique key which another updated row gives up: they come after it. */
  takeovers(table: Table<object>, updated: readonly object[]): Set<object> {
    const given = givenUpKeys(table, this.#entriesOf(table).values());
    return new Set(updated.filter((row) => takesOneOf(given, table, row)));
  }

  #set(table: Table<object>, id: string, row: object | undefined): void {
    const entries = this.#entriesOf(table);
    const entry = entries.get(id) ?? { row: undefined, stored: undefined };
    const before = entry.row;
    if (row) this.#refuseConflicts(table, row, id);
    if (row) this.#refuseOldSeal(table, row, before);
    const apply = (from: object | undefined, to: object | undefined) => {
      if (from) this.#unindex(table, from, id);
      entry.row = to;
      if (to) this.#index(table, to, id);
    };
    entries.set(id, entry);
    apply(before, row);
    this.#undo.push(() => apply(entry.row, before));
  }

  #refuseConflicts(table: Table<object>, row: object, id: string): void {
    for (const key of Object.keys(table.keys)) {
      if (key === PRIMARY) continue;
      const text = keyText(table, row, key);
      const holder = text === undefined ? undefined : this.#indexesOf(table).get(key)?.get(text);
      if (holder !== undefined && holder !== id) {
        throw new UniqueConflict(table.name, key);
      }
    }
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

  #index(table: Table<object>, row: object, id: string): void {
    for (const [key, ids] of this.#indexesOf(table)) {
      const text = keyText(table, row, key);
      if (text !== undefined) ids.set(text, id);
    }
  }

  #unindex(table: Table<object>, row: object, id: string): void {
    for (const [key, ids] of this.#indexesOf(table)) {
      const text = keyText(table, row, key);
      if (text !== undefined && ids.get(text) === id) ids.delete(text);
    }
  }

  #entriesOf(table: Table<object>): Map<string, Entry> {
    let entries = this.#entries.get(table);
    if (!entries) this.#entries.set(table, entries = new Map());
    return entries;
  }

  #indexesOf(table: Table<object>): Map<string, Map<string, string>> {
    let indexes = this.#indexes.get(table);
    if (!indexes) {
      indexes = new Map(
        Object.keys(table.keys).filter((key) => key !== PRIMARY).map((key) => [key, new Map()]),
      );
      this.#indexes.set(table, indexes);
    }
    return indexes;
  }
}

/** A unit wanted a key that another row holds: a lost race, to be decided again or refused. */
export class UniqueConflict extends Error {
  override name = "UniqueConflict";

  constructor(readonly table: string, readonly key: string) {
    super(`Another row of ${table} has this ${key} key`);
  }
}

/** Unique keys that stored rows have and their changed rows have no more. */
function givenUpKeys(table: Table<object>, entries: Iterable<Entry>): Set<string> {
  const given = new Set<string>();
  for (const { row, stored } of entries) {
    if (!stored || !row || row === stored) continue;
    for (const key of Object.keys(table.keys)) {
      const text = keyText(table, stored, key);
      if (text !== undefined && text !== keyText(table, row, key)) given.add(`${key} ${text}`);
    }
  }
  return given;
}

function takesOneOf(given: ReadonlySet<string>, table: Table<object>, row: object): boolean {
  return given.size > 0 &&
    Object.keys(table.keys).some((key) => given.has(`${key} ${keyText(table, row, key)}`));
}

/** Undefined when one of the key's fields is null: such a row is in no unique index. */
function keyText(table: Table<object>, row: object, key: string): string | undefined {
  const values = table.keys[key]!.map((field) => (row as Record<string, RowValue>)[field]);
  return values.includes(null) ? undefined : JSON.stringify(values);
}

function declaration({ table, key, text }: Omit<Read, "values">): string {
  return `${table.name} ${key} ${text}`;
}
