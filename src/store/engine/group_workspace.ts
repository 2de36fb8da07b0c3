import { invariant, InvariantError, present } from "../../base/assert.ts";
import { readSealed } from "../../base/secrets/sealed_text.ts";
import { Unavailable } from "../connection/faults.ts";
import { type Entry, LoadedRows, type RowChanges } from "./loaded_rows.ts";
import { isSealedChange, type Seals } from "./seals.ts";
import { dayOf } from "../../domain/time.ts";
import { bytesOf, causedBy, isCounted, type StoredBytes } from "./stored_bytes.ts";
import { StorageUses } from "../../accounts/tables/storage.ts";
import { Withdrawals } from "../../withdrawals/table.ts";
import {
  type AnyRow,
  type KeyText,
  keyText,
  type KeyValues,
  mustExist,
  PRIMARY,
  type RowValue,
  sealRead,
  type Table,
  toValues,
} from "../tables/table.ts";
import {
  type LookUps,
  type Read,
  type Share,
  UniqueConflict,
  type View,
  type WorthOf,
} from "./workspace.ts";
import { tampered } from "./tampered_row.ts";

export type Changes = Map<Table<AnyRow>, RowChanges>;

const noWorth: WorthOf = () => null;

interface Found {
  readonly rows: LoadedRows;
  readonly entry: Entry;
}

interface Undo extends Found {
  readonly before: AnyRow | undefined;
  readonly wasFresh: boolean;
}

interface WorkspaceOptions {
  readonly nowMs?: number;
  readonly lastReleaseId?: number;
  /** The master key that secrets must be sealed with; null: any. */
  readonly sealKeyId?: string | null;
  /** Undefined while the key is unknown. */
  readonly seals?: Seals | undefined;
}

/** What a group of units reads and changes, in memory, with an undo for a unit that fails. */
export class Workspace implements View {
  readonly #tables = new Map<Table<AnyRow>, LoadedRows>();
  #undo: Undo[] = [];
  worthOf: WorthOf = noWorth;
  /** The account that the current unit works for, if no row says. */
  #charged: number | undefined;
  /** By account: what the group's units store for it. */
  readonly stored = new Map<number, StoredBytes>();
  /** What the current unit has said. */
  #share: Share | undefined;
  readonly #shares = new Map<AnyRow, Share>();
  #ahead: { readonly accountId: number; readonly bytes: number }[] = [];
  /** Of new rows that were counted, so that nothing is made into text twice. */
  readonly #values = new Map<AnyRow, RowValue[]>();
  /** Undefined: the sum follows the rows. */
  correction: bigint | undefined;

  constructor(readonly lastIds: Map<string, number>, readonly options: WorkspaceOptions = {}) {}

  get nowMs(): number {
    return present(this.options.nowMs, "A group is decided at a time");
  }

  get lastReleaseId(): number {
    return this.options.lastReleaseId ?? 0;
  }

  /** Stores what reads of one table found. */
  load(reads: Iterable<Read>, rows: readonly AnyRow[]): void {
    let loaded: LoadedRows | undefined;
    for (const { table, key, text } of reads) {
      loaded = this.#rowsOf(table);
      loaded.look(key, text);
    }
    for (const row of rows) loaded!.load(row);
  }

  find<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key = PRIMARY): Row | undefined {
    return this.#verified(table, key, keyText(values)) as Row | undefined;
  }

  get<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key?: string): Row {
    return mustExist(this.find(table, values, key), { table, values });
  }

  rowOf<Row extends AnyRow>({ table, key, text }: Read<Row>): Row | undefined {
    return this.#verified(table, key, text) as Row | undefined;
  }

  readonly raw: LookUps = {
    find: <Row extends AnyRow>(table: Table<Row>, values: KeyValues, key = PRIMARY) =>
      this.#find(table, key, keyText(values))?.entry.row as Row | undefined,
    get: (table, values, key) => mustExist(this.raw.find(table, values, key), { table, values }),
    rowOf: <Row extends AnyRow>({ table, key, text }: Read<Row>) =>
      this.#find(table, key, text)?.entry.row as Row | undefined,
  };

  #verified(table: Table<AnyRow>, key: string, text: KeyText): AnyRow | undefined {
    const found = this.#find(table, key, text);
    const row = found?.entry.row;
    if (row && table.sealedColumns && !this.#isGenuine(found)) throw tampered(table, row);
    return row;
  }

  #find(table: Table<AnyRow>, key: string, text: KeyText): Found | undefined {
    const rows = this.#rowsOf(table);
    const entry = rows.find(key, text);
    if (entry) return { rows, entry };
    if (rows.wasLookedFor(key, text)) return undefined;
    const what = `${table.name} ${key} ${text}`;
    throw new InvariantError(`A unit looked for ${what} without declaring it`);
  }

  insert<Row extends AnyRow & { id: number }>(table: Table<Row>, row: Omit<Row, "id">): Row {
    const id = (this.lastIds.get(table.name) ?? 0) + 1;
    this.lastIds.set(table.name, id);
    return this.insertKeyed(table, { ...row, id } as Row);
  }

  insertKeyed<Row extends AnyRow>(table: Table<Row>, row: Row): Row {
    const rows = this.#rowsOf(table);
    const entry = rows.entry(rows.idOf(row));
    if (entry.row) throw new UniqueConflict(table.name, PRIMARY);
    this.#set(rows, entry, row);
    entry.isFresh = true;
    return row;
  }

  update<Row extends AnyRow>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row {
    const { rows, entry } = this.#present(table, row);
    const next = { ...entry.row as Row, ...patch };
    this.#set(rows, entry, next);
    return next;
  }

  remove<Row extends AnyRow>(table: Table<Row>, row: Row): void {
    const { rows, entry } = this.#present(table, row);
    this.#set(rows, entry, undefined);
  }

  lastId<Row extends AnyRow & { id: number }>(table: Table<Row>): number {
    return this.lastIds.get(table.name) ?? 0;
  }

  isGenuine<Row extends AnyRow>(table: Table<Row>, row: Row): boolean {
    return this.#isGenuine(this.#present(table, row));
  }

  accept<Row extends AnyRow>(table: Table<Row>, row: Row): void {
    const { rows, entry } = this.#present(table, row);
    this.#set(rows, entry, { ...entry.row });
    entry.isFresh = true;
  }

  charge(accountId: number): void {
    this.#charged = accountId;
  }

  countAs(share: Share, row?: AnyRow): void {
    if (row) this.#shares.set(row, share);
    else this.#share = share;
  }

  countAhead(accountId: number, bytes: number): void {
    this.#ahead.push({ accountId, bytes });
  }

  storedToday(accountId: number, share: Exclude<Share, "none"> = "orders"): number {
    const row = this.find(StorageUses, [accountId]);
    const isToday = row?.dayMs === dayOf(this.nowMs);
    const before = isToday ? share === "payouts" ? row.payoutBytes : row.bytes : 0;
    return before + (this.stored.get(accountId)?.[share] ?? 0);
  }

  /** Only `auditedDb` insists on guards. */
  guardPassed(): void {}

  atOnce(): View {
    return this;
  }

  correctSum(by: bigint): void {
    this.correction = (this.correction ?? 0n) + by;
  }

  /** A changed row as it was read. */
  storedOf(table: Table<AnyRow>, row: AnyRow): AnyRow {
    return this.#present(table, row).entry.stored!;
  }

  /** The values of a new row for a statement. */
  newValues(table: Table<AnyRow>, row: AnyRow): RowValue[] {
    const values = this.#values.get(row) ?? toValues(table, row);
    if (table.sealedColumns) values.push(this.options.seals?.of(table, values) ?? null);
    return values;
  }

  /** The values of a changed row. A change doesn't make a row genuine that wasn't. */
  sealedValues(table: Table<AnyRow>, row: AnyRow): RowValue[] {
    const values = toValues(table, row);
    if (!table.sealedColumns) return values;
    const { seals } = this.options;
    const { rows, entry } = this.#present(table, row);
    const { stored } = entry;
    const isKept = stored && !entry.isFresh &&
      (!isSealedChange(table, stored, row) || !this.#isGenuine({ rows, entry }));
    values.push(isKept ? sealRead(stored) : seals?.of(table, values) ?? null);
    return values;
  }

  /** Whether any of these stored rows gets a different seal than it was read with. */
  areSealedAnew(
    table: Table<AnyRow>,
    rows: readonly AnyRow[],
    values: readonly RowValue[][],
  ): boolean {
    return rows.some((row, i) =>
      sealRead(this.#present(table, row).entry.stored!) !== values[i]!.at(-1)
    );
  }

  #isGenuine({ rows, entry }: Found): boolean {
    const { seals } = this.options;
    if (!seals || entry.isFresh) return true;
    return entry.isGenuine ??= seals.isRight(rows.table, entry.stored!);
  }

  /** Runs one unit. If it throws, its changes are undone and those of its neighbours stay. */
  attempt<T>(decide: (view: View) => T, worthOf = noWorth): T {
    this.#undo = [];
    this.#charged = undefined;
    this.#share = undefined;
    this.#ahead = [];
    this.worthOf = worthOf;
    const { correction } = this;
    try {
      const decided = decide(this);
      this.#count();
      return decided;
    } catch (error) {
      this.correction = correction;
      for (const { rows, entry, before, wasFresh } of this.#undo.reverse()) {
        invariant(rows.put(entry, before) === undefined, "What is undone was free before");
        entry.isFresh = wasFresh;
      }
      throw error;
    }
  }

  /** What the unit stores, for whoever caused it. Rows without an account are its only account's. */
  #count(): void {
    const isPayout = this.#undo.some(({ rows }) => rows.table === Withdrawals);
    const unitShare = this.#share ?? (isPayout ? "payouts" : "orders");
    let sole = this.#charged;
    let isShared = false;
    const unowned: StoredBytes = { orders: 0, payouts: 0 };
    for (const { accountId, bytes } of this.#ahead) this.#storedOf(accountId).orders += bytes;
    for (const { rows: { table }, entry: { row }, before } of this.#undo) {
      const known = row ?? before;
      // Made and removed again.
      if (!known) continue;
      const owner = causedBy(table, known);
      if (owner !== undefined) {
        sole ??= owner;
        isShared ||= owner !== sole;
      }
      if (before || !row || !isCounted(table)) continue;
      const share = this.#shares.get(row) ?? unitShare;
      if (share === "none") continue;
      const bytes = this.#bytesOf(table, row);
      if (owner === undefined) unowned[share] += bytes;
      else this.#storedOf(owner)[share] += bytes;
    }
    if (sole === undefined || isShared || unowned.orders + unowned.payouts === 0) return;
    const all = this.#storedOf(sole);
    all.orders += unowned.orders;
    all.payouts += unowned.payouts;
  }

  #bytesOf(table: Table<AnyRow>, row: AnyRow): number {
    const values = toValues(table, row);
    this.#values.set(row, values);
    return bytesOf(values);
  }

  #storedOf(accountId: number): StoredBytes {
    let bytes = this.stored.get(accountId);
    if (!bytes) this.stored.set(accountId, bytes = { orders: 0, payouts: 0 });
    return bytes;
  }

  changes(): Changes {
    const all: Changes = new Map();
    for (const [table, rows] of this.#tables) {
      const changes = rows.changes();
      if (changes) all.set(table, changes);
    }
    return all;
  }

  changedFields(table: Table<AnyRow>, updated: readonly AnyRow[]): Set<string> {
    return this.#rowsOf(table).changedFields(updated);
  }

  takeovers(table: Table<AnyRow>, updated: readonly AnyRow[]): Set<AnyRow> {
    return this.#rowsOf(table).takeovers(updated);
  }

  #set(rows: LoadedRows, entry: Entry, row: AnyRow | undefined): void {
    const before = entry.row;
    if (row) this.#refuseOldSeal(rows.table, row, before);
    const taken = rows.put(entry, row);
    if (taken !== undefined) throw new UniqueConflict(rows.table.name, taken);
    this.#undo.push({ rows, entry, before, wasFresh: entry.isFresh });
  }

  #present(table: Table<AnyRow>, row: AnyRow): Found {
    const rows = this.#rowsOf(table);
    const entry = rows.entryOf(row);
    invariant(entry?.row, "A row that is changed is loaded");
    return { rows, entry };
  }

  /** Whoever still uses the old master key after a change must not leave a secret sealed with it. */
  #refuseOldSeal({ encrypted }: Table<AnyRow>, row: AnyRow, before: AnyRow | undefined): void {
    const { sealKeyId = null } = this.options;
    if (sealKeyId === null) return;
    for (const { field } of encrypted) {
      const text = row[field];
      const isNew = typeof text === "string" && text !== before?.[field];
      if (isNew && text !== "" && readSealed(text).keyId !== sealKeyId) {
        throw new Unavailable("The master key is being changed: try again in a moment");
      }
    }
  }

  #rowsOf(table: Table<AnyRow>): LoadedRows {
    let rows = this.#tables.get(table);
    if (!rows) this.#tables.set(table, rows = new LoadedRows(table));
    return rows;
  }
}
