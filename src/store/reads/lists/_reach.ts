import type { Db } from "../../engine/db.ts";
import type { AnyRow, Table } from "../../tables/table.ts";
import { type Reached, rowsIn, type Wanted } from "./_branches.ts";

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
  { sources, filters, span, limit }: Wanted,
): Promise<Reached<Row>> {
  const branches = sources.reduce((sum, { values }) => sum + values.length, 0);
  let left = Math.max(REACH_OF_BRANCH_MIN, Math.ceil(REACH / branches)) + 1;
  const rows: Row[] = [];
  let floor: number | null = null;
  for (let reach = NEAR * limit; left > 0; reach *= FARTHER) {
    const step = Math.min(reach, left);
    left -= step;
    const ids = { from: span.from, below: floor ?? span.below };
    const found: Reached<Row> = await rowsIn(db, table, {
      ...{ sources, filters, span: ids, limit: limit - rows.length, reach: step },
    });
    rows.push(...found.rows);
    floor = found.floor;
    if (floor === null || rows.length === limit) break;
  }
  return { rows, floor };
}
