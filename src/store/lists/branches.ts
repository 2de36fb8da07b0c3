import { type Db, queryOne, type SqlValue } from "../engine/db.ts";
import { orNull } from "../connection/connection.ts";
import { type AnyRow, columnList, rowsFromJson, type Table } from "../tables/table.ts";
import type { Condition } from "./order.ts";
import type { IdSpan } from "./id_spans.ts";

/** Rows that one index has in the order of their ids, for each of some values of its columns. */
export interface Source {
  /** If absent, all rows in the order of their ids. */
  readonly index?: string;
  /** SQL expressions, which the index begins with. */
  readonly columns: readonly string[];
  readonly values: readonly (readonly SqlValue[])[];
  /** What a partial index is limited to. */
  readonly where?: string;
}

export interface Wanted {
  /** What no index serves. */
  readonly filters: readonly Condition[];
  readonly limit: number;
  readonly sources: readonly Source[];
  readonly span: IdSpan;
  readonly isOldestFirst: boolean;
}

export interface Reached<Row> {
  readonly rows: Row[];
  /** The last id that was looked at; null: all were. */
  readonly edge: number | null;
}

type Step = Wanted & { readonly reach: number };

export async function rowsIn<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  wanted: Step,
): Promise<Reached<Row>> {
  const { sources } = wanted;
  const only = sources.length === 1 ? sources[0] : undefined;
  const values = only?.values.length === 1 ? only.values[0] : undefined;
  const [sql, args] = only && values
    ? rowsOfOne(table, { source: only, values }, wanted)
    : rowsOfMany(table, wanted);
  const row = await queryOne(db, sql, args);
  return { rows: rowsFromJson(table, row.rows), edge: orNull(row.edge, Number) };
}

type Query = readonly [sql: string, args: readonly SqlValue[]];

/** Without the detour over the ids of several branches. */
function rowsOfOne(
  table: Table<AnyRow>,
  { source, values }: { source: Source; values: readonly SqlValue[] },
  { filters, span: { from, below }, limit, reach, isOldestFirst }: Step,
): Query {
  const branch = branchOf(table.name, source, () => "?");
  const order = ORDERS[isOldestFirst ? "oldest" : "newest"];
  const isFiltered = filters.length > 0;
  const sql = `WITH reached AS MATERIALIZED (
  SELECT (${isFiltered ? edgeOf(branch, order) : "NULL"}) AS edge
)
SELECT (SELECT edge FROM reached) AS edge,
  (
    SELECT json_group_array(json_array(${columnList(table)}))
    FROM (
      SELECT ${columnList(table)}
      ${branch}
      ${tailOf(filters, order)})
  ) AS rows`;
  const tailArgs = [from, below, ...filters.flatMap(([, ...some]) => some), limit];
  const edgeArgs = isFiltered ? [...values, from, below, reach - 1] : [];
  return [sql, [...edgeArgs, ...values, ...tailArgs]];
}

function rowsOfMany(
  table: Table<AnyRow>,
  { sources, filters, span: { from, below }, limit, reach, isOldestFirst }: Step,
): Query {
  const order = ORDERS[isOldestFirst ? "oldest" : "newest"];
  const texts = sources.map(({ values }) => JSON.stringify(values));
  const isFiltered = filters.length > 0;
  const branches = sources.map((source) => branchOf(table.name, source, (i) => `k.value ->> ${i}`));
  const edges = branches.map((branch) =>
    `SELECT (${edgeOf(branch, order)}) AS edge
  FROM json_each(?) AS k`
  );
  const sql = `WITH reached AS MATERIALIZED (
  SELECT ${order.nearest}(edge) AS edge
  FROM (${isFiltered ? union(edges) : "SELECT NULL AS edge"})
), found AS MATERIALIZED (
  ${union(branches.map((branch) => idsOf(branch, filters, order)))}
)
SELECT (SELECT edge FROM reached) AS edge,
  (
    SELECT json_group_array(json_array(${columnList(table)}))
    FROM (
      SELECT *
      FROM ${table.name}
      WHERE id IN (SELECT id FROM found)
      ORDER BY id ${order.sql}
      LIMIT ?)
  ) AS rows`;
  const tailArgs = [from, below, ...filters.flatMap(([, ...some]) => some), limit];
  return [sql, [
    ...isFiltered ? texts.flatMap((text) => [from, below, reach - 1, text]) : [],
    ...texts.flatMap((text) => [text, ...tailArgs]),
    limit,
  ]];
}

function union(parts: readonly string[]): string {
  return parts.join("\n  UNION ALL\n  ");
}

function branchOf(
  table: string,
  { index, columns, where }: Source,
  valueOf: (i: number) => string,
): string {
  const equal = columns.map((column, i) => `${column} = ${valueOf(i)}`);
  return `FROM ${table} ${index === undefined ? "NOT INDEXED" : `INDEXED BY ${index}`}
    WHERE ${[...equal, ...where === undefined ? [] : [where]].join(" AND ")}`;
}

interface Order {
  readonly sql: "ASC" | "DESC";
  /** Of several edges, the one that all branches were looked at up to. */
  readonly nearest: "min" | "max";
  /** Between the edge and the other end. */
  readonly within: string;
}

const ORDERS: Readonly<Record<"newest" | "oldest", Order>> = {
  newest: {
    ...{ sql: "DESC", nearest: "max" },
    within: "id >= coalesce((SELECT edge FROM reached), ?) AND id < ?",
  },
  oldest: {
    ...{ sql: "ASC", nearest: "min" },
    within: "id >= ? AND id < coalesce((SELECT edge + 1 FROM reached), ?)",
  },
};

function edgeOf(branch: string, { sql }: Order): string {
  return `
    SELECT id
    ${branch} AND id >= ? AND id < ?
    ORDER BY id ${sql}
    LIMIT 1 OFFSET ?
  `;
}

function tailOf(filters: readonly Condition[], { sql, within }: Order): string {
  const more = filters.map(([sql]) => `\n      AND ${sql}`).join("");
  return `AND ${within}${more}
      ORDER BY id ${sql}
      LIMIT ?`;
}

function idsOf(branch: string, filters: readonly Condition[], order: Order): string {
  return `SELECT r.value AS id
  FROM json_each(?) AS k
  CROSS JOIN json_each((
    SELECT json_group_array(id)
    FROM (
      SELECT id
      ${branch}
      ${tailOf(filters, order)})
  )) AS r`;
}
