import { startHistoryNode } from "../history_node.ts";
import type { Part, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { LEDGER_CSV } from "./csv.ts";
import type { Size } from "./fill.ts";
import { FOLLOWING } from "./following.ts";
import type { GrowthRows } from "./growth_rows.ts";
import { LATENCIES } from "./latency.ts";
import { makePlace } from "./place.ts";
import { LEAK, START } from "./serving.ts";

const SMALL: Size = { transactions: 1_000, addresses: 100, accounts: 50 };
const LARGE: Size = { transactions: 1_000_000, addresses: 1_000_000, accounts: 10_000 };
const BLOCKS = 50;
/** The start comes last, because background work then deletes old rows. */
const ALL: readonly GrowthRows[] = [LATENCIES, FOLLOWING, LEAK, LEDGER_CSV, START];

/** The same questions to a new installation and to one with years of business. */
export const GROWTH_PART: Part = {
  key: "growth",
  heading:
    "How cost grows: beside the limit of 10^3 transactions, 10^2 addresses and 50 accounts " +
    "stand 10^6, 10^6 and 10^4",
  names: ALL.flatMap(({ names }) => names),
  measure: measureGrowth,
};

async function* measureGrowth({ names, rounds, say }: PartOrder): AsyncGenerator<Row> {
  await using node = await startHistoryNode({ blocks: BLOCKS });
  say("growth: making 10^6 transactions");
  await using large = await makePlace(LARGE, { rpcUrl: node.url });
  await using small = await makePlace(SMALL, { rpcUrl: node.url });
  say("growth: they are made");
  for (const rows of ALL) {
    if (!rows.names.some((name) => names.has(name))) continue;
    yield* rows.measure({ small, large, names, rounds });
  }
}
