import { last } from "../../../base/lists.ts";
import type { Db } from "../../engine/db.ts";
import type { Table } from "../../tables/table.ts";
import type { Condition, PageOf } from "../pages/page.ts";
import type { Source } from "./_branches.ts";
import { rowsReached } from "./_reach.ts";
import type { IdSpans, TimeWindow } from "./id_spans.ts";

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
    const found = await rowsReached(db, table, wanted);
    rows.push(...found.rows);
    if (rows.length === limit) return { rows, next: last(rows).id };
    if (found.floor !== null) return { rows, next: found.floor };
  }
  return { rows, next: all[SPANS_MAX]?.below ?? null };
}

function inWindow({ column, fromMs, untilMs }: TimeWindow): Condition {
  return [`${column} >= ? AND ${column} < ?`, fromMs, untilMs];
}
