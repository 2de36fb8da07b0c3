import type { Missing, Part, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { BATCH_ROWS, measureBatches } from "./batch_rows.ts";
import { BLOCK_ROWS, measureBlocks } from "./block_rows.ts";
import { IDLE_ROWS, measureIdle } from "./idle_rows.ts";
import { measureSweeps, SWEEP_ROWS } from "./sweep_rows.ts";
import { measureStaked, measureTronSweeps, STAKED_ROWS, TRON_ROWS } from "./tron_rows.ts";
import { measureWithdrawals, WITHDRAWAL_ROWS } from "./withdrawal_rows.ts";

/** Rows that are measured together. */
interface Group {
  readonly names: readonly string[];
  measure(order: PartOrder): AsyncIterable<Row | Missing>;
}

const GROUPS: readonly Group[] = [
  { names: SWEEP_ROWS, measure: measureSweeps },
  { names: BATCH_ROWS, measure: measureBatches },
  { names: TRON_ROWS, measure: measureTronSweeps },
  { names: STAKED_ROWS, measure: measureStaked },
  { names: WITHDRAWAL_ROWS, measure: measureWithdrawals },
  { names: BLOCK_ROWS, measure: measureBlocks },
  { names: IDLE_ROWS, measure: measureIdle },
];

/** What takes how many round trips and calls where nodes are far away. */
export const FAR_PART: Part = {
  key: "far",
  heading: "With nodes 80 ms away (a round trip), measured once",
  hasGoals: true,
  names: GROUPS.flatMap(({ names }) => names),
  measure: measureFar,
};

async function* measureFar(order: PartOrder): AsyncGenerator<Row | Missing> {
  for (const { names, measure } of GROUPS) {
    if (!names.some((name) => order.names.has(name))) continue;
    for await (const row of measure(order)) if (order.names.has(row.name)) yield row;
  }
}
