import { invariant, present } from "../../base/assert.ts";
import {
  type AnyRow,
  isRowValue,
  type KeyText,
  PRIMARY,
  type Table,
  valueText,
} from "../tables/table.ts";

/** A row as stored and as it is now; undefined if it didn't exist, or doesn't any more. */
export interface Entry {
  row: AnyRow | undefined;
  readonly stored: AnyRow | undefined;
  /** This program has written the whole row, whatever was stored. */
  isFresh: boolean;
  /** Whether the stored row has its seal; undefined if not checked yet. */
  isGenuine?: boolean;
}

type Change = "insert" | "update" | "delete";
export type RowChanges = Record<Change, AnyRow[]>;

interface UniqueIndex {
  readonly key: string;
  readonly fields: readonly string[];
  readonly entries: Map<KeyText, Entry>;
}

const LATELY_MAX = 8;

/** The rows of one table that a group of units knows, findable by each of their keys. */
export class LoadedRows {
  readonly #byId = new Map<KeyText, Entry>();
  readonly #indexes: readonly UniqueIndex[];
  /** What was looked up in the database, found or not: per key, the values. */
  readonly #looked = new Map<string, Set<KeyText>>();
  readonly #primary: readonly string[];
  /** The next unit often changes the same rows. */
  readonly #lately: Entry[] = [];
  #puts = 0;

  constructor(readonly table: Table<AnyRow>) {
    const { [PRIMARY]: primary, ...unique } = table.keys;
    this.#primary = primary!;
    this.#indexes = Object.entries(unique).map(([key, fields]) => ({
      key,
      fields,
      entries: new Map(),
    }));
  }

  load(row: AnyRow): void {
    const id = this.idOf(row);
    if (this.#byId.has(id)) return;
    const entry: Entry = { row: undefined, stored: row, isFresh: false };
    this.#byId.set(id, entry);
    invariant(this.put(entry, row) === undefined, "Stored rows have keys of their own");
  }

  look(key: string, text: KeyText): void {
    const texts = this.#looked.get(key);
    if (texts) texts.add(text);
    else this.#looked.set(key, new Set([text]));
  }

  wasLookedFor(key: string, text: KeyText): boolean {
    return this.#looked.get(key)?.has(text) ?? false;
  }

  find(key: string, text: KeyText): Entry | undefined {
    if (key === PRIMARY) return this.#byId.get(text);
    return this.#indexes.find((index) => index.key === key)?.entries.get(text);
  }

  entryOf(row: AnyRow): Entry | undefined {
    return this.#lately.find((entry) => entry.row === row) ?? this.#byId.get(this.idOf(row));
  }

  idOf(row: AnyRow): KeyText {
    return present(textOf(row, this.#primary), "A row has a primary key");
  }

  /** Creates the entry if there is none. */
  entry(id: KeyText): Entry {
    let entry = this.#byId.get(id);
    if (!entry) this.#byId.set(id, entry = { row: undefined, stored: undefined, isFresh: false });
    return entry;
  }

  /** Returns the unique key that another row already has; then nothing was changed. */
  put(entry: Entry, row: AnyRow | undefined): string | undefined {
    if (this.#indexes.length === 0) {
      this.#keep(entry, row);
      return undefined;
    }
    const texts = row ? this.#indexes.map(({ fields }) => textOf(row, fields)) : [];
    const taken = this.#indexes.find(({ entries }, i) => {
      const holder = texts[i] === undefined ? undefined : entries.get(texts[i]);
      return holder !== undefined && holder !== entry;
    });
    if (taken) return taken.key;
    if (entry.row) this.#unindex(entry);
    this.#keep(entry, row);
    this.#indexes.forEach(({ entries }, i) => {
      if (texts[i] !== undefined) entries.set(texts[i], entry);
    });
    return undefined;
  }

  #keep(entry: Entry, row: AnyRow | undefined): void {
    entry.row = row;
    this.#lately[this.#puts++ % LATELY_MAX] = entry;
  }

  /** Undefined: nothing differs from what is stored. */
  changes(): RowChanges | undefined {
    const changes: RowChanges = { insert: [], update: [], delete: [] };
    for (const { row, stored } of this.#byId.values()) {
      if (row === stored) continue;
      if (!stored) changes.insert.push(row!);
      else if (row) changes.update.push(row);
      else changes.delete.push(stored);
    }
    const { insert, update, delete: removed } = changes;
    return insert.length + update.length + removed.length > 0 ? changes : undefined;
  }

  /** The fields in which any of the updated rows differs from what is stored. */
  changedFields(updated: readonly AnyRow[]): Set<string> {
    const fields = new Set<string>();
    for (const row of updated) {
      const stored = present(this.#byId.get(this.idOf(row))?.stored, "It was read");
      for (const { field } of this.table.columns) {
        if (row[field] !== stored[field]) fields.add(field);
      }
    }
    return fields;
  }

  /**
   * Updated rows that take a unique key which another updated row gives up: they are written after
   * it.
   */
  takeovers(updated: readonly AnyRow[]): Set<AnyRow> {
    const given = this.#givenUpKeys();
    const takesOne = (row: AnyRow) =>
      this.#indexes.some(({ key, fields }) => given.has(`${key} ${textOf(row, fields)}`));
    return new Set(given.size > 0 ? updated.filter(takesOne) : []);
  }

  /** Unique keys of stored rows that their changed rows don't have any more. */
  #givenUpKeys(): Set<string> {
    const given = new Set<string>();
    for (const { row, stored } of this.#byId.values()) {
      if (!stored || !row || row === stored) continue;
      for (const { key, fields } of this.#indexes) {
        const text = textOf(stored, fields);
        if (text !== undefined && text !== textOf(row, fields)) given.add(`${key} ${text}`);
      }
    }
    return given;
  }

  #unindex(entry: Entry): void {
    for (const { fields, entries } of this.#indexes) {
      const text = textOf(entry.row!, fields);
      if (text !== undefined && entries.get(text) === entry) entries.delete(text);
    }
  }
}

/** Undefined if a field of the key is null: such a row is in no unique index. */
function textOf(row: AnyRow, fields: readonly string[]): KeyText | undefined {
  let text = "";
  for (const field of fields) {
    const value = row[field];
    if (value === null) return undefined;
    invariant(isRowValue(value), "Keys are numbers and text");
    if (fields.length === 1 && typeof value === "number") return value;
    text += valueText(value);
  }
  return text;
}
