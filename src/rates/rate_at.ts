import type { World } from "../networks/rules/world.ts";
import { freshUntilMs, type Pair, type Rate, rateOf } from "./rules/rate_of.ts";
import type { KnownRates, RatesMemory } from "./known.ts";

/** A pair among the prices of one world. */
export interface WorldPair extends Pair {
  readonly world: World;
}

/** As `rateOf` in the domain, worked out once for all who ask meanwhile. */
export function rateAt(
  memory: RatesMemory,
  known: KnownRates,
  { base, quote, world, nowMs }: WorldPair & { readonly nowMs: number },
): Rate | null {
  let { lately } = memory;
  if (lately?.known !== known || nowMs < lately.fromMs || nowMs >= lately.untilMs) {
    const untilMs = freshUntilMs(known.sources, nowMs);
    memory.lately = lately = { known, fromMs: nowMs, untilMs, rates: new Map() };
  }
  const rate = lately.rates.getOrInsertComputed(
    `${world} ${base}/${quote}`,
    () => rateOf(known.of[world], { base, quote, nowMs }),
  );
  // What a currency is worth in itself is always of this moment.
  return rate?.sources === 0 ? { ...rate, atMs: nowMs } : rate;
}
