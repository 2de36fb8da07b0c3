import type { Missing, Part, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { BLOCK_ROWS, measureBlocks } from "./block_rows.ts";
import { IDLE_ROWS, measureIdle } from "./idle_rows.ts";
import { measureSweeps, SWEEP_ROWS } from "./sweep_rows.ts";
import { measureTronSweeps, TRON_ROWS } from "./tron_rows.ts";
import { measureWithdrawals, WITHDRAWAL_ROWS } from "./withdrawal_rows.ts";

/** Rows that are measured together. */
interface Group {
  readonly names: readonly string[];
  measure(order: PartOrder): AsyncIterable<Row | Missing>;
}

const GROUPS: readonly Group[] = [
  { names: SWEEP_ROWS, measure: measureSweeps },
  { names: TRON_ROWS, measure: measureTronSweeps },
  { names: WITHDRAWAL_ROWS, measure: measureWithdrawals },
  { names: BLOCK_ROWS, measure: measureBlocks },
  { names: IDLE_ROWS, measure: measureIdle },
];
const NOT_THERE_YET = [
  "token sweeps in batches, 100 at once",
  "token sweeps in batches, 100 at once: calls",
  "gas of a token sweep in batches, 100 at once, for the first time",
  "gas of a token sweep in batches, 100 at once, again",
  "gas left on addresses, swept in batches",
  "TRX burned for a sweep with staked energy",
];

/** What takes how many round trips and calls where nodes are far away. */
export const FAR_PART: Part = {
  key: "far",
  heading: "With nodes 80 ms away (a round trip), measured once",
  hasGoals: true,
  names: [...GROUPS.flatMap(({ names }) => names), ...NOT_THERE_YET],
  measure: measureFar,
};

async function* measureFar(order: PartOrder): AsyncGenerator<Row | Missing> {
  for (const { names, measure } of GROUPS) {
    if (!names.some((name) => order.names.has(name))) continue;
    for await (const row of measure(order)) if (order.names.has(row.name)) yield row;
  }
  for (const name of NOT_THERE_YET) {
    if (order.names.has(name)) yield { name, reason: "not there yet" };
  }
}
