import { freshUntilMs, type Pair, type Rate, rateOf } from "../../domain/rates/rate_of.ts";
import type { KnownRates, RatesMemory } from "./known.ts";

/** As `rateOf` in the domain, worked out once for all who ask meanwhile. */
export function rateAt(
  memory: RatesMemory,
  known: KnownRates,
  { base, quote, nowMs }: Pair & { readonly nowMs: number },
): Rate | null {
  let { lately } = memory;
  if (lately?.known !== known || nowMs < lately.fromMs || nowMs >= lately.untilMs) {
    const untilMs = freshUntilMs(known.sources, nowMs);
    memory.lately = lately = { known, fromMs: nowMs, untilMs, rates: new Map() };
  }
  const rate = lately.rates.getOrInsertComputed(
    `${base}/${quote}`,
    () => rateOf(known.sources, { base, quote, nowMs }),
  );
  // What a currency is worth in itself is always of this moment.
  return rate?.sources === 0 ? { ...rate, atMs: nowMs } : rate;
}
