import { last } from "../../base/lists.ts";
import type { Db } from "../engine/db.ts";
import type { Table } from "../tables/table.ts";
import type { Condition, PageOf } from "./order.ts";
import type { Source } from "./branches.ts";
import { rowsReached } from "./reach.ts";
import type { IdSpan, IdSpans, TimeWindow } from "./id_spans.ts";

interface Walk {
  readonly sources: readonly Source[];
  /** What no index serves. */
  readonly filters: readonly Condition[];
  readonly windows: readonly TimeWindow[];
  readonly cursor: number | null;
  readonly limit: number;
  /** Only rows above this id. */
  readonly after?: number | undefined;
  readonly isOldestFirst?: boolean | undefined;
  /** How many rows are looked at before the page ends early. */
  readonly reach?: number;
}

const SPANS_MAX = 20;

/** A merged page of all sources, in order: no row is left out, and none is shown twice. */
export async function walk<Row extends { readonly id: number }>(
  db: Db,
  { table, spans }: { table: Table<Row>; spans: IdSpans },
  asked: Walk,
): Promise<PageOf<Row>> {
  const sources = asked.sources.filter(({ values }) => values.length > 0);
  if (sources.length === 0) return { rows: [], next: null };
  const { limit, windows, isOldestFirst = false, reach } = asked;
  const found = await spans.find(db, table, windows);
  const left = leftOf(asked);
  const all = (isOldestFirst ? found.toReversed() : found)
    .map(({ from, below }) => ({
      from: Math.max(from, left.from),
      below: Math.min(below, left.below),
    }))
    .filter(({ from, below }) => from < below);
  const filters = [...asked.filters, ...windows.map(inWindow)];
  const rows: Row[] = [];
  for (const span of all.slice(0, SPANS_MAX)) {
    const wanted = { sources, filters, span, isOldestFirst, reach, limit: limit - rows.length };
    const found = await rowsReached(db, table, wanted);
    rows.push(...found.rows);
    if (rows.length === limit) return { rows, next: last(rows).id };
    if (found.edge !== null) return { rows, next: found.edge };
  }
  const next = all[SPANS_MAX];
  return { rows, next: next ? isOldestFirst ? next.from - 1 : next.below : null };
}

/** Beyond the cursor, which the page before ended with. */
function leftOf({ cursor, after, isOldestFirst }: Walk): IdSpan {
  const above = isOldestFirst ? cursor : after || null;
  return {
    from: above === null ? 0 : above + 1,
    below: isOldestFirst ? Number.MAX_SAFE_INTEGER : cursor ?? Number.MAX_SAFE_INTEGER,
  };
}

function inWindow({ column, fromMs, untilMs }: TimeWindow): Condition {
  return [`${column} >= ? AND ${column} < ?`, fromMs, untilMs];
}
