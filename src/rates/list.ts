import { refuse } from "../domain/refusals/refuse.ts";
import { freshSources, type Pair, pairsOf, type Rate, rateOf } from "./rules/rate_of.ts";
import type { Deps } from "../deps/deps.ts";
import { currentRates } from "./current.ts";
import type { KnownSource } from "./known.ts";

export interface ListedRate extends Pair {
  /** Null: its sources are stale or too far apart. */
  readonly rate: Rate | null;
  /** How many are fresh. */
  readonly sources: number;
  /** The price of test coins, where feeds on test networks make it another one. */
  readonly isTest: boolean;
}

/** Every pair that has sources. */
export async function listRates(deps: Deps): Promise<ListedRate[]> {
  const { of: { real, test } } = await currentRates(deps);
  const nowMs = deps.clock.nowMs();
  const list = (pairs: readonly Pair[], sources: typeof real, isTest: boolean) =>
    pairs.map(({ base, quote }) => ({
      ...{ base, quote, isTest },
      rate: rateOf(sources, { base, quote, nowMs }),
      sources: freshSources(sources, { base, quote, nowMs }).length,
    }));
  const onTests = test.filter((source) => !real.includes(source));
  return [...list(pairsOf(real), real, false), ...list(pairsOf(onTests), test, true)];
}

export async function listSources(deps: Deps): Promise<readonly KnownSource[]> {
  return (await currentRates(deps)).sources;
}

export async function findSource(deps: Deps, id: number): Promise<KnownSource> {
  const source = (await listSources(deps)).find((one) => one.id === id);
  if (!source) throw refuse("rate_source_unknown", { id });
  return source;
}
