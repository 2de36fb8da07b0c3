/** The default limit: this many times what recent blocks paid. */
const TIMES_PAID_MAX = 25n;
/** Stricter than for prices, because a tip is always paid in full. */
const TIMES_TIPPED_MAX = 4n;

export interface FeeLimit {
  /** Set by the operator or known for the chain; null: use what was paid lately. */
  readonly maxRaw: bigint | null;
  /** What recent blocks paid per unit of gas. */
  readonly paidRaw: bigint;
  /** A price that is always allowed, by the chain's family. */
  readonly undoubtedRaw: bigint;
}

/** The most a transaction with this gas limit may cost, all fees included. */
export function feeMaxFor({ maxRaw, paidRaw, undoubtedRaw }: FeeLimit, gas: bigint): bigint {
  return maxRaw ?? TIMES_PAID_MAX * higher(paidRaw, undoubtedRaw) * gas;
}

/** The cap on tips that nodes suggest. */
export function tipMaxFor({ paidRaw, undoubtedRaw }: Omit<FeeLimit, "maxRaw">): bigint {
  return TIMES_TIPPED_MAX * higher(paidRaw, undoubtedRaw);
}

export interface Paid {
  readonly raw: bigint;
  readonly atMs: number;
}

const DOUBLES_IN_MS = 6 * 3_600_000;
/** After days without blocks, one report changes the price no further than this. */
const STEP_MAX_MS = DOUBLES_IN_MS;
const MILLION = 1_000_000n;

/**
 * The price to remember after new blocks. It at most doubles or halves within six hours, so a
 * single lying node needs two and a half days without a break to be believed a thousandfold.
 */
export function paidAfter(
  known: Paid | undefined,
  { undoubtedRaw, ...seen }: Paid & Pick<FeeLimit, "undoubtedRaw">,
): Paid {
  if (!known) return seen;
  const forMs = Math.min(Math.max(0, seen.atMs - known.atMs), STEP_MAX_MS);
  const step = BigInt(Math.floor(1_000_000 * 2 ** (forMs / DOUBLES_IN_MS)));
  const base = higher(known.raw, undoubtedRaw);
  const most = base * step / MILLION;
  const least = known.raw * MILLION / step;
  const raw = seen.raw > most ? most : seen.raw < least ? least : seen.raw;
  return { raw, atMs: seen.atMs };
}

export function medianOf(values: readonly bigint[]): bigint | undefined {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[(sorted.length - 1) >> 1];
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
