import { Lru } from "../../base/lru.ts";
import type { ChainHead } from "./chain_rows.ts";
import type { Bound, Statement } from "../connection/connection.ts";
import {
  type AnyRow,
  columnList,
  columnName,
  PRIMARY,
  type RowValue,
  type Table,
} from "../tables/table.ts";

type AnyTable = Table<AnyRow>;

const texts = new WeakMap<AnyTable, Lru<string, string>>();

/** Returns the identical string each time, so that its prepared statement is found by identity. */
function textOnce(table: AnyTable, kind: string, make: () => string): string {
  let ofTable = texts.get(table);
  if (!ofTable) texts.set(table, ofTable = new Lru(200));
  let text = ofTable.get(kind);
  if (text === undefined) ofTable.set(kind, text = make());
  return text;
}

interface Selection {
  readonly fields: readonly string[];
  readonly values: readonly (readonly RowValue[])[];
}

/**
 * All rows whose fields have one of the given sets of values. A value that they share is bound, and
 * the others are passed as one JSON text; an array for each set would be parsed twice.
 */
export function selectByFields(table: AnyTable, { fields, values }: Selection): Statement {
  const all = fields.map((_, i) => i);
  const differing = all.filter((i) => values.some((set) => set[i] !== values[0]![i]));
  const shared = all.filter((i) => !differing.includes(i));
  const sql = textOnce(table, `select ${fields}|${differing}`, () => {
    const ofSet = (i: number) =>
      differing.length === 1 ? "k.value" : `k.value ->> ${differing.indexOf(i)}`;
    const match = all.map((i) =>
      `t.${columnName(table, fields[i]!)} = ${shared.includes(i) ? "?" : ofSet(i)}`
    );
    return `SELECT json_group_array(json_array(${columnList(table, "t")})) AS rows
FROM ${differing.length > 0 ? "json_each(?) AS k\nCROSS JOIN " : ""}${table.name} AS t
WHERE ${match.join(" AND ")}`;
  });
  const args: Bound[] = shared.map((i) => boundKey(values[0]![i]!));
  if (differing.length > 0) args.unshift(JSON.stringify(listed(values, differing)));
  return { sql, args, isOneRow: true };
}

function listed(sets: Selection["values"], fields: readonly number[]): unknown[] {
  const [only] = fields;
  return fields.length === 1
    ? sets.map((set) => set[only!])
    : sets.map((set) => fields.map((i) => set[i]));
}

/** A JS number would be bound as REAL. */
function boundKey(value: RowValue): Bound {
  return typeof value === "number" ? BigInt(value) : value;
}

/**
 * Few sizes, so that statements repeat: preparing one takes as long as inserting its rows. But any
 * number of rows is at most three of them, because each statement keeps a copy of every page that
 * it changes.
 */
const ROWS_AT_ONCE = [64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const;
/** From this many rows on, a column with the same value in all of them is bound once. */
const SHARED_FROM = 16;

/**
 * Binds each value; unpacking a JSON text column by column takes half as long again. Columns that
 * are null in every row are left out.
 */
export function insertRows(table: AnyTable, rows: readonly RowValue[][]): Statement[] {
  const statements: Statement[] = [];
  const [first] = rows;
  const filled = table.stored.map((_, i) => i).filter((i) => rows.some((row) => row[i] !== null));
  const isShared = (i: number) =>
    rows.length >= SHARED_FROM && rows.every((row) => row[i] === first![i]);
  const { shared = [], own = [] } = Object.groupBy(filled, (i) => isShared(i) ? "shared" : "own");
  for (let from = 0; from < rows.length;) {
    const count = ROWS_AT_ONCE.find((length) => length <= rows.length - from)!;
    statements.push(insertSome(table, { rows: rows.slice(from, from + count), shared, own }));
    from += count;
  }
  return statements;
}

function insertSome(
  table: AnyTable,
  { rows, shared, own }: {
    rows: readonly RowValue[][];
    shared: readonly number[];
    own: readonly number[];
  },
): Statement {
  const args = shared.map((i) => rows[0]![i]!);
  for (const row of rows) {
    for (const i of own) args.push(row[i]!);
  }
  const sql = textOnce(table, `insert ${rows.length} ${shared}|${own}`, () => {
    const names = [...shared, ...own].map((i) => table.stored[i]!.name);
    // A bare "?" is numbered one higher than any before it.
    const marks = [...shared.map((_, at) => `?${at + 1}`), ...own.map(() => "?")];
    const row = `(${marks.join(", ")})`;
    return `INSERT INTO ${table.name} (${names.join(", ")})
VALUES ${new Array(rows.length).fill(row).join(", ")}`;
  });
  return { sql, args };
}

/** Sets only `fields`, because each column set writes its indexes, even with the same value. */
export function updateRows(
  table: AnyTable,
  rows: readonly RowValue[][],
  fields: ReadonlySet<string> = new Set(table.stored.map(({ field }) => field)),
): Statement {
  const primary = new Set(table.keys[PRIMARY]);
  const set: string[] = [];
  const match: string[] = [];
  table.stored.forEach(({ field, name }, i) => {
    if (primary.has(field)) match.push(`${table.name}.${name} = r.value ->> ${i}`);
    else if (fields.has(field)) set.push(`${name} = r.value ->> ${i}`);
  });
  return {
    sql: `UPDATE ${table.name}
SET ${set.join(", ")}
FROM json_each(?) AS r
WHERE ${match.join(" AND ")}`,
    args: [JSON.stringify(rows)],
  };
}

export function deleteRows(table: AnyTable, rows: readonly AnyRow[]): Statement {
  const primary = table.keys[PRIMARY]!;
  const columns = primary.map((field) => columnName(table, field)).join(", ");
  const values = primary.map((_, i) => `value ->> ${i}`).join(", ");
  const keys = rows.map((row) => primary.map((field) => row[field]));
  return {
    sql: `DELETE FROM ${table.name}
WHERE (${columns}) IN (SELECT ${values} FROM json_each(?))`,
    args: [JSON.stringify(keys)],
  };
}

/** Fails, and the whole group with it, if another writer moved the clock since it was read. */
export function moveClock(
  seen: { epoch: number; isConfigChanged: boolean; head?: ChainHead },
): Statement {
  const { id = null, hash = null, seal = null, balances = null } = seen.head ?? {};
  return {
    sql: `UPDATE write_clock
SET epoch = iif(epoch = ?, epoch + 1, NULL), config_version = config_version + ?,
  audit_id = coalesce(?, audit_id), audit_hash = coalesce(?, audit_hash),
  audit_seal = coalesce(?, audit_seal), balances_sum = coalesce(?, balances_sum)
WHERE id = 1`,
    args: [
      BigInt(seen.epoch),
      seen.isConfigChanged ? 1n : 0n,
      id === null ? null : BigInt(id),
      hash,
      seal,
      balances,
    ],
  };
}

export function markWriter(
  mark: { instance: string; sequence: number; nowMs: number },
): Statement {
  return {
    sql: `INSERT INTO writers (instance, sequence, seen_at_ms)
VALUES (?, ?, ?)
ON CONFLICT (instance) DO UPDATE SET sequence = excluded.sequence, seen_at_ms = excluded.seen_at_ms`,
    args: [mark.instance, BigInt(mark.sequence), BigInt(mark.nowMs)],
  };
}

/** Epoch, this writer's last committed group, the sealing key, and the last ids. */
export function readClock(instance: string): Statement {
  return {
    sql: `SELECT epoch,
  (SELECT sequence FROM writers WHERE instance = ?) AS sequence,
  (SELECT key_id FROM master_keys WHERE id = 1) AS seal_key_id,
  (SELECT json_group_object(name, seq) FROM sqlite_sequence) AS ids,
  (SELECT max(id)
  FROM ledger_entries INDEXED BY ledger_entries_releases
  WHERE kind = 'release') AS release_id,
  audit_id, audit_hash, audit_seal, balances_sum,
  (SELECT hash FROM audit_log ORDER BY id DESC LIMIT 1) AS last_hash
FROM write_clock`,
    args: [instance],
    isOneRow: true,
  };
}
