import { startAnvil } from "../../support/anvil.ts";
import { makeHistory } from "../catch_up_figure.ts";
import type { Size } from "./fill.ts";
import { measureFollowing } from "./following.ts";
import { measureLatencies } from "./latency.ts";
import { makePlace } from "./place.ts";
import type { GrowthRow } from "./row.ts";
import { measureLeak, measureStart } from "./serving.ts";

const SMALL: Size = { transactions: 1_000, addresses: 100, accounts: 1 };
const LARGE: Size = { transactions: 1_000_000, addresses: 1_000_000, accounts: 10_000 };
const BLOCKS = 100;

/** How cost grows: the same questions to a new installation and to one with years of business. */
export async function* measureGrowth(
  { rounds, say }: { rounds: number; say: (text: string) => void },
): AsyncGenerator<GrowthRow> {
  await using node = await startAnvil({ args: ["--no-mining", "--gas-limit", "3000000000"] });
  await makeHistory(node, { blocks: BLOCKS });
  await using small = await makePlace(SMALL, { rpcUrl: node.url });
  const startedAt = performance.now();
  await using large = await makePlace(LARGE, { rpcUrl: node.url });
  say(`10^6 transactions made in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  yield* measureLatencies({ small, large, rounds });
  yield* await measureFollowing({ small, large, rounds });
  yield await measureLeak(large);
  yield await measureStart(large, { rounds });
}
