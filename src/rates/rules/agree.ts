import { at } from "../../base/lists.ts";
import { compare, type Fraction, isWithin, mean } from "./fraction.ts";

/** How far sources may be apart, in percent. */
const APART_MAX_PERCENT = 2n;

export interface Quote {
  readonly price: Fraction;
  readonly atMs: number;
}

/** The median of fresh prices that agree. Undefined: they don't, or there are none. */
export function agreed(quotes: readonly Quote[]): Quote | undefined {
  const close = agreeing(quotes);
  return close && median(close);
}

/**
 * Those that count, sorted: two must be close to each other; of more, those far from the median
 * don't count, and most must remain.
 */
export function agreeing<Q extends Quote>(quotes: readonly Q[]): readonly Q[] | undefined {
  const sorted = quotes.toSorted((a, b) => compare(a.price, b.price));
  const [low, high] = sorted;
  if (low === undefined || high === undefined) return low && sorted;
  if (sorted.length === 2) {
    return isClose(high.price, low.price) ? sorted : undefined;
  }
  const { price: middle } = median(sorted);
  const close = sorted.filter(({ price }) => isClose(price, middle));
  return 2 * close.length > sorted.length ? close : undefined;
}

/** As old as the older of the prices that make it up. */
function median(sorted: readonly Quote[]): Quote {
  const upper = at(sorted, sorted.length >> 1);
  if (sorted.length % 2 === 1) return upper;
  const lower = at(sorted, (sorted.length >> 1) - 1);
  return { price: mean(lower.price, upper.price), atMs: Math.min(lower.atMs, upper.atMs) };
}

export function isClose(price: Fraction, of: Fraction): boolean {
  return isWithin(price, { percent: APART_MAX_PERCENT, of });
}
