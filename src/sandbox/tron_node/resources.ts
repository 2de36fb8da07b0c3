/** Energy and bandwidth: what a stake gives, and how what was used comes back. */
export type Resource = "BANDWIDTH" | "ENERGY";

/** The used part of a quota, when it was used, and until when it recovers evenly. */
export interface Usage {
  readonly used: bigint;
  readonly atMs: number;
  /** In thousandths of slots. */
  readonly window: bigint;
}

/** What all stakes share, and the TRX staked for it. */
export interface Total {
  readonly limit: bigint;
  readonly weight: bigint;
}

const SLOT_MS = 3_000;
const SLOTS_A_DAY = 28_800n;
const PARTS = 1_000n;
const DAY = SLOTS_A_DAY * PARTS;
/** java-tron keeps averages per slot with this precision; its roundings are kept here. */
const PRECISION = 1_000_000n;
export const SUN_PER_TRX = 1_000_000n;

export const UNUSED: Usage = { used: 0n, atMs: 0, window: DAY };

/** A day's quota. In doubles, as java-tron counts it. */
export function limitOf(sun: bigint, { limit, weight }: Total): bigint {
  if (weight === 0n) return 0n;
  return BigInt(Math.trunc(Number(sun) / 1e6 * (Number(limit) / Number(weight))));
}

/** The stake that gave what was used. */
export function stakeOf(used: bigint, { limit, weight }: Total): bigint {
  return BigInt(Math.trunc(Number(used * SUN_PER_TRX) * (Number(weight) / Number(limit))));
}

/** The use that still counts now. */
export function usedNow(usage: Usage, nowMs: number): bigint {
  return increase(usage, 0n, nowMs).used;
}

/** A new use recovers in a day, and an older one as it would have: the window is their mean. */
export function increase(usage: Usage, amount: bigint, nowMs: number): Usage {
  const window = usage.window < PARTS ? SLOTS_A_DAY : usage.window / PARTS;
  const passed = BigInt(slotOf(nowMs) - slotOf(usage.atMs));
  let average = divideUp(usage.used * PRECISION, window);
  if (passed !== 0n) {
    average = passed < window ? (2n * average * (window - passed) + window) / (2n * window) : 0n;
  }
  const added = divideUp(amount * PRECISION, SLOTS_A_DAY);
  const used = (average * window + added * SLOTS_A_DAY) / PRECISION;
  const rest = average * window / PRECISION;
  if (rest === 0n) return { used, atMs: nowMs, window: DAY };
  const mixed = divideUp(rest * (usage.window - passed * PARTS) + amount * DAY, used);
  return { used, atMs: nowMs, window: mixed < DAY ? mixed : DAY };
}

/** What a borrower used comes back with the loan, and recovers when it would have there. */
export function takeOver(
  own: Usage,
  { amount, window }: { readonly amount: bigint; readonly window: bigint },
  nowMs: number,
): Usage {
  const before = increase(own, 0n, nowMs);
  const used = before.used + amount;
  if (used === 0n) return { used, atMs: nowMs, window: DAY };
  const mixed = divideUp(before.used * before.window + amount * window, used);
  return { used, atMs: nowMs, window: mixed < DAY ? mixed : DAY };
}

/** The free bandwidth's window is always a day. */
export function increaseWithinDay(usage: Usage, amount: bigint, nowMs: number): Usage {
  return { ...increase(usage, amount, nowMs), window: DAY };
}

function slotOf(ms: number): number {
  return Math.floor(ms / SLOT_MS);
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
