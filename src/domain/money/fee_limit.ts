/** How many times the price of recent blocks a payment may cost where nobody set a limit. */
const TIMES_PAID_MAX = 25n;
/** Tips are checked more closely than that: what is tipped is paid whatever the block asks for. */
const TIMES_TIPPED_MAX = 4n;
/**
 * Up to a gwei no price is doubted: chains whose blocks are empty tell of no other, and the most
 * expensive payment at 25 times this costs a few thousandths of a coin.
 */
const NEVER_DOUBTED_RAW = 1_000_000_000n;

export interface FeeLimit {
  /** Set by the operator or known of the chain; null: by what was paid lately. */
  readonly maxRaw: bigint | null;
  /** What recent blocks paid for a unit of gas, as it is remembered. */
  readonly paidRaw: bigint;
}

/** The most that a transaction which may use so much gas may ever cost, all its fees together. */
export function feeMaxFor({ maxRaw, paidRaw }: FeeLimit, gas: bigint): bigint {
  return maxRaw ?? TIMES_PAID_MAX * higher(paidRaw, NEVER_DOUBTED_RAW) * gas;
}

/** A node's suggestion counts up to here. */
export function tipMaxFor({ paidRaw }: Pick<FeeLimit, "paidRaw">): bigint {
  return TIMES_TIPPED_MAX * higher(paidRaw, NEVER_DOUBTED_RAW);
}

export interface Paid {
  readonly raw: bigint;
  readonly atMs: number;
}

const DOUBLES_IN_MS = 6 * 3_600_000;
/** Where nothing was seen for days, the first one to speak gets no further than this. */
const STEP_MAX_MS = DOUBLES_IN_MS;
const MILLION = 1_000_000n;

/**
 * What to remember after blocks told of this price. It doubles or halves within six hours at most: who
 * alone tells of the chain must lie for two and a half days without a break to be believed a thousandfold.
 */
export function paidAfter(known: Paid | undefined, told: Paid): Paid {
  if (!known) return told;
  const forMs = Math.min(Math.max(0, told.atMs - known.atMs), STEP_MAX_MS);
  const step = BigInt(Math.floor(1_000_000 * 2 ** (forMs / DOUBLES_IN_MS)));
  const base = higher(known.raw, NEVER_DOUBTED_RAW);
  const most = base * step / MILLION;
  const least = known.raw * MILLION / step;
  const raw = told.raw > most ? most : told.raw < least ? least : told.raw;
  return { raw, atMs: told.atMs };
}

export function medianOf(values: readonly bigint[]): bigint | undefined {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[(sorted.length - 1) >> 1];
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
