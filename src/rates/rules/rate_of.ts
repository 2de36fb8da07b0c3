import { agreed, isClose, type Quote } from "./agree.ts";
import {
  exactText,
  type Fraction,
  fractionOf,
  inverse,
  ONE,
  roundedText,
  times,
} from "./fraction.ts";

/** What one unit of `base` costs in `quote`. */
export interface Pair {
  readonly base: string;
  readonly quote: string;
}

interface PairNow extends Pair {
  readonly nowMs: number;
}

/** A source of a pair's price, with the last price that it gave. */
export interface PricedSource extends Pair {
  readonly price: { readonly value: string; readonly atMs: number } | null;
  /** Null: it doesn't get old. */
  readonly maxAgeMs: number | null;
  /** Part of a network's preset: it counts only for pairs without a source of the operator's. */
  readonly isPreset: boolean;
}

export interface Rate {
  readonly value: string;
  /** The time of the price that counts. */
  readonly atMs: number;
  /** How many sources are fresh; of a cross rate, on the side that has fewer. */
  readonly sources: number;
}

/** Of rates that a division makes. */
const DIGITS = 30;
const BETWEEN = "USD";
/** Their presets are worth a dollar for as long as their feeds are close to it. */
const DOLLARS: readonly string[] = ["USDT", "USDC"];

/** A pair with sources beats a cross rate through USD, even if its sources don't agree. */
export function rateOf(
  sources: readonly PricedSource[],
  { nowMs, ...pair }: PairNow,
): Rate | null {
  const { base, quote } = named(pair);
  if (base === quote) return { value: "1", atMs: nowMs, sources: 0 };
  const direct = directRate(sources, { base, quote, nowMs });
  if (direct.sources > 0) return textOf(direct);
  if (base === BETWEEN || quote === BETWEEN) return null;
  const [one, other] = [base, quote].map((symbol) =>
    directRate(sources, { base: symbol, quote: BETWEEN, nowMs })
  );
  if (!one?.agreed || !other?.agreed) return null;
  return {
    value: roundedText(times(one.agreed.price, inverse(other.agreed.price)), DIGITS),
    atMs: Math.min(one.agreed.atMs, other.agreed.atMs),
    sources: Math.min(one.sources, other.sources),
  };
}

/** Symbols match in any case. */
function named({ base, quote }: Pair): Pair {
  return { base: base.toUpperCase(), quote: quote.toUpperCase() };
}

/** A price from the future may come from a wrong clock or a lying source. */
export function isFresh({ price, maxAgeMs }: PricedSource, nowMs: number): boolean {
  if (price === null || price.atMs > nowMs) return false;
  return maxAgeMs === null || nowMs - price.atMs <= maxAgeMs;
}

/** When the next price becomes fresh or stale: until then, the same ones count. */
export function freshUntilMs(sources: readonly PricedSource[], nowMs: number): number {
  const turns = sources.flatMap(({ price, maxAgeMs }) => {
    if (price === null) return [];
    return maxAgeMs === null ? [price.atMs] : [price.atMs, price.atMs + maxAgeMs + 1];
  });
  return Math.min(...turns.filter((atMs) => atMs > nowMs));
}

interface Direct {
  readonly agreed: Quote | undefined;
  readonly sources: number;
  /** No source names the pair the other way round. */
  readonly isForward: boolean;
}

/** Of the pair itself, either way round. */
export function freshSources<S extends PricedSource>(
  sources: readonly S[],
  { nowMs, ...pair }: PairNow,
): S[] {
  return countingFor(sources, named(pair)).filter((source) => isFresh(source, nowMs));
}

function directRate(sources: readonly PricedSource[], pair: PairNow): Direct {
  const fresh = freshSources(sources, pair);
  const isForward = fresh.every((source) => isSame(source, pair));
  const quotes = fresh.flatMap((source) => quoteOf(source, pair));
  const isPeg = fresh.some(({ isPreset, base }) =>
    isPreset && DOLLARS.includes(base.toUpperCase())
  );
  const price = agreed(quotes);
  return { agreed: isPeg ? pegged(price) : price, sources: fresh.length, isForward };
}

/** The operator's own, or those of the presets if there are none. */
function countingFor<S extends PricedSource>(sources: readonly S[], pair: Pair): readonly S[] {
  const turned = { base: pair.quote, quote: pair.base };
  const all = sources.filter((source) => isSame(source, pair) || isSame(source, turned));
  const own = all.filter(({ isPreset }) => !isPreset);
  return own.length > 0 ? own : all;
}

function isSame(source: Pair, { base, quote }: Pair): boolean {
  const one = named(source);
  return one.base === base && one.quote === quote;
}

function quoteOf(source: PricedSource, pair: Pair): Quote[] {
  if (source.price === null) return [];
  const { value, atMs } = source.price;
  const price: Fraction = fractionOf(value);
  return [{ price: isSame(source, pair) ? price : inverse(price), atMs }];
}

function pegged(quote: Quote | undefined): Quote | undefined {
  return quote && isClose(quote.price, ONE) ? { price: ONE, atMs: quote.atMs } : undefined;
}

function textOf({ agreed, sources, isForward }: Direct): Rate | null {
  if (!agreed) return null;
  const { price, atMs } = agreed;
  return { value: isForward ? exactText(price) : roundedText(price, DIGITS), atMs, sources };
}

/** Every pair that has a source, once, as its first source names it. */
export function pairsOf(sources: readonly PricedSource[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { base, quote } of sources) {
    const names = [base, quote].map((name) => name.toUpperCase()).toSorted();
    pairs.getOrInsert(names.join("/"), { base, quote });
  }
  return [...pairs.values()];
}
