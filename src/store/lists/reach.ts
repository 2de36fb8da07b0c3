import type { Db } from "../engine/db.ts";
import type { AnyRow, Table } from "../tables/table.ts";
import { type Reached, rowsIn, type Wanted } from "./branches.ts";
import type { IdSpan } from "./id_spans.ts";

/** The most rows that a page looks at. If few of them match, it ends early, and another follows. */
const REACH = 5_000;
/** Enough for a page and a zone of ids, half of which may be from other times. */
const REACH_OF_BRANCH_MIN = 1_300;
/** How many rows are looked at first for each that is wanted, which is usually enough. */
const NEAR = 4;
/** If it isn't, each further step is this many times as long. */
const FARTHER = 8;

/** In steps, so that rows are only looked at while some are still wanted. */
export async function rowsReached<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { span, limit, reach: reachOfAll = REACH, ...wanted }: Wanted & {
    readonly reach?: number | undefined;
  },
): Promise<Reached<Row>> {
  const branches = wanted.sources.reduce((sum, { values }) => sum + values.length, 0);
  let left = Math.max(REACH_OF_BRANCH_MIN, Math.ceil(reachOfAll / branches)) + 1;
  const rows: Row[] = [];
  let edge: number | null = null;
  for (let reach = NEAR * limit; left > 0; reach *= FARTHER) {
    const step = Math.min(reach, left);
    left -= step;
    const found: Reached<Row> = await rowsIn(db, table, {
      ...{ ...wanted, span: beyond(span, edge, wanted), limit: limit - rows.length, reach: step },
    });
    rows.push(...found.rows);
    edge = found.edge;
    if (edge === null || rows.length === limit) break;
  }
  return { rows, edge };
}

/** What hasn't been looked at yet. */
function beyond(
  { from, below }: IdSpan,
  edge: number | null,
  { isOldestFirst }: Pick<Wanted, "isOldestFirst">,
): IdSpan {
  if (edge === null) return { from, below };
  return isOldestFirst ? { from: edge + 1, below } : { from, below: edge };
}
