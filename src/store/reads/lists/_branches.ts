import { type Db, queryOne, type SqlValue } from "../../engine/db.ts";
import { orNull } from "../../connection/connection.ts";
import { type AnyRow, columnList, rowsFromJson, type Table } from "../../tables/table.ts";
import type { Condition } from "../pages/page.ts";
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
}

export interface Reached<Row> {
  readonly rows: Row[];
  /** Rows below it have not been looked at. */
  readonly floor: number | null;
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
  return { rows: rowsFromJson(table, row.rows), floor: orNull(row.floor, Number) };
}

type Query = readonly [sql: string, args: readonly SqlValue[]];

/** Without the detour over the ids of several branches. */
function rowsOfOne(
  table: Table<AnyRow>,
  { source, values }: { source: Source; values: readonly SqlValue[] },
  { filters, span: { from, below }, limit, reach }: Step,
): Query {
  const branch = branchOf(table.name, source, () => "?");
  const isFiltered = filters.length > 0;
  const sql = `WITH reached AS MATERIALIZED (
  SELECT (${isFiltered ? floorOf(branch) : "NULL"}) AS floor
)
SELECT (SELECT floor FROM reached) AS floor,
  (
    SELECT json_group_array(json_array(${columnList(table)}))
    FROM (
      SELECT ${columnList(table)}
      ${branch}
      ${tailOf(filters)})
  ) AS rows`;
  const tailArgs = [from, below, ...filters.flatMap(([, ...some]) => some), limit];
  const floorArgs = isFiltered ? [...values, from, below, reach - 1] : [];
  return [sql, [...floorArgs, ...values, ...tailArgs]];
}

function rowsOfMany(
  table: Table<AnyRow>,
  { sources, filters, span: { from, below }, limit, reach }: Step,
): Query {
  const texts = sources.map(({ values }) => JSON.stringify(values));
  const isFiltered = filters.length > 0;
  const branches = sources.map((source) => branchOf(table.name, source, (i) => `k.value ->> ${i}`));
  const floors = branches.map((branch) =>
    `SELECT (${floorOf(branch)}) AS floor
  FROM json_each(?) AS k`
  );
  const sql = `WITH reached AS MATERIALIZED (
  SELECT max(floor) AS floor
  FROM (${isFiltered ? union(floors) : "SELECT NULL AS floor"})
), found AS MATERIALIZED (
  ${union(branches.map((branch) => idsOf(branch, filters)))}
)
SELECT (SELECT floor FROM reached) AS floor,
  (
    SELECT json_group_array(json_array(${columnList(table)}))
    FROM (SELECT * FROM ${table.name} WHERE id IN (SELECT id FROM found) ORDER BY id DESC LIMIT ?)
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

function floorOf(branch: string): string {
  return `
    SELECT id
    ${branch} AND id >= ? AND id < ?
    ORDER BY id DESC
    LIMIT 1 OFFSET ?
  `;
}

function tailOf(filters: readonly Condition[]): string {
  const more = filters.map(([sql]) => `\n      AND ${sql}`).join("");
  return `AND id >= coalesce((SELECT floor FROM reached), ?) AND id < ?${more}
      ORDER BY id DESC
      LIMIT ?`;
}

function idsOf(branch: string, filters: readonly Condition[]): string {
  return `SELECT r.value AS id
  FROM json_each(?) AS k
  CROSS JOIN json_each((
    SELECT json_group_array(id)
    FROM (
      SELECT id
      ${branch}
      ${tailOf(filters)})
  )) AS r`;
}
