import type { Missing, Part, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { BLOCK_ROWS, measureBlocks } from "./blocks.ts";
import { measurePayouts, PAYOUT_ROWS } from "./payouts.ts";

const GROUPS = [
  { names: BLOCK_ROWS, measure: measureBlocks },
  { names: PAYOUT_ROWS, measure: measurePayouts },
];

/** The largest blocks there can be, and payouts of one hot wallet. */
export const BITCOIN_PART: Part = {
  key: "bitcoin",
  heading: "Bitcoin and Litecoin",
  hasGoals: true,
  names: GROUPS.flatMap(({ names }) => names),
  measure: measureBitcoin,
};

async function* measureBitcoin(order: PartOrder): AsyncGenerator<Row | Missing> {
  for (const { names, measure } of GROUPS) {
    if (!names.some((name) => order.names.has(name))) continue;
    for await (const row of measure(order)) if (order.names.has(row.name)) yield row;
  }
}
