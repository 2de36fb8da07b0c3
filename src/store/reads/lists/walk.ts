import { last } from "../../../base/lists.ts";
import { type Db, queryOne, type SqlValue } from "../../engine/db.ts";
import { orNull } from "../../connection/connection.ts";
import { type AnyRow, columnList, rowsFromJson, type Table } from "../../tables/table.ts";
import type { Condition, PageOf } from "../pages/page.ts";
import type { IdSpan, IdSpans, TimeWindow } from "./id_spans.ts";

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

interface Walk {
  readonly sources: readonly Source[];
  /** What no index serves. */
  readonly filters: readonly Condition[];
  readonly windows: readonly TimeWindow[];
  readonly cursor: number | null;
  readonly limit: number;
  /** Only rows above this id. */
  readonly after?: number | undefined;
}

/** A page looks at this many rows at most. Where few of them match, it ends early, and another follows. */
const REACH = 5_000;
/** More than a page and a zone of ids, half of which may be of other times. */
const REACH_OF_BRANCH_MIN = 1_300;
const SPANS_MAX = 20;

/** A merged page of all sources, newest first: no row is left out, and none is shown twice. */
export async function walk<Row extends { readonly id: number }>(
  db: Db,
  { table, spans }: { table: Table<Row>; spans: IdSpans },
  asked: Walk,
): Promise<PageOf<Row>> {
  const sources = asked.sources.filter(({ values }) => values.length > 0);
  if (sources.length === 0) return { rows: [], next: null };
  const { limit, windows, after = 0 } = asked;
  const top = asked.cursor ?? Number.MAX_SAFE_INTEGER;
  const all = (await spans.find(db, table, windows)).filter(({ from }) => from < top);
  const filters = [...asked.filters, ...windows.map(inWindow)];
  const rows: Row[] = [];
  for (const { from, below } of all.slice(0, SPANS_MAX)) {
    const span = { from: Math.max(from, after && after + 1), below: Math.min(below, top) };
    const wanted = { sources, filters, span, limit: limit - rows.length };
    const found = await rowsIn(db, table, wanted);
    rows.push(...found.rows);
    if (rows.length === limit) return { rows, next: last(rows).id };
    if (found.floor !== null) return { rows, next: found.floor };
  }
  return { rows, next: all[SPANS_MAX]?.below ?? null };
}

function inWindow({ column, fromMs, untilMs }: TimeWindow): Condition {
  return [`${column} >= ? AND ${column} < ?`, fromMs, untilMs];
}

interface Wanted extends Pick<Walk, "filters" | "limit"> {
  readonly sources: readonly Source[];
  readonly span: IdSpan;
}

/** `floor`: rows below it have not been looked at. */
async function rowsIn<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { sources, filters, span: { from, below }, limit }: Wanted,
): Promise<{ rows: Row[]; floor: number | null }> {
  const branches = sources.reduce((sum, { values }) => sum + values.length, 0);
  const texts = sources.map(({ values }) => JSON.stringify(values));
  const reach = Math.max(REACH_OF_BRANCH_MIN, Math.ceil(REACH / branches));
  const isFiltered = filters.length > 0;
  const sql = `WITH reached AS MATERIALIZED (
  SELECT max(floor) AS floor
  FROM (${isFiltered ? union(sources.map((one) => floorsOf(table.name, one))) : NOWHERE})
), found AS MATERIALIZED (
  ${union(sources.map((one) => idsOf(table.name, one, filters)))}
)
SELECT (SELECT floor FROM reached) AS floor,
  (
    SELECT json_group_array(json_array(${columnList(table)}))
    FROM (SELECT * FROM ${table.name} WHERE id IN (SELECT id FROM found) ORDER BY id DESC LIMIT ?)
  ) AS rows`;
  const filterArgs = filters.flatMap(([, ...values]) => values);
  const row = await queryOne(db, sql, [
    ...isFiltered ? texts.flatMap((text) => [from, below, reach, text]) : [],
    ...texts.flatMap((text) => [text, from, below, ...filterArgs, limit]),
    limit,
  ]);
  return { rows: rowsFromJson(table, row.rows), floor: orNull(row.floor, Number) };
}

const NOWHERE = "SELECT NULL AS floor";

function union(parts: readonly string[]): string {
  return parts.join("\n  UNION ALL\n  ");
}

function branchOf(table: string, { index, columns, where }: Source): string {
  const equal = columns.map((column, i) => `${column} = k.value ->> ${i}`);
  return `FROM ${table} ${index === undefined ? "NOT INDEXED" : `INDEXED BY ${index}`}
    WHERE ${[...equal, ...where === undefined ? [] : [where]].join(" AND ")}`;
}

function floorsOf(table: string, source: Source): string {
  return `SELECT (
    SELECT id
    ${branchOf(table, source)} AND id >= ? AND id < ?
    ORDER BY id DESC
    LIMIT 1 OFFSET ?
  ) AS floor
  FROM json_each(?) AS k`;
}

function idsOf(table: string, source: Source, filters: readonly Condition[]): string {
  const more = filters.map(([sql]) => `\n      AND ${sql}`).join("");
  return `SELECT r.value AS id
  FROM json_each(?) AS k
  CROSS JOIN json_each((
    SELECT json_group_array(id)
    FROM (
      SELECT id
      ${branchOf(table, source)}
      AND id >= coalesce((SELECT floor FROM reached), ?) AND id < ?${more}
      ORDER BY id DESC
      LIMIT ?)
  )) AS r`;
}
