export const DEPOSIT_REQUEST_STATUSES = ["active", "expired_for_display", "settled"] as const;
export type DepositRequestStatus = typeof DEPOSIT_REQUEST_STATUSES[number];

interface DepositRequestFacts {
  readonly displayExpiresAtMs: number;
  /** One of its transactions was credited at some time. */
  readonly hasCredited: boolean;
}

/** Settled takes precedence over expired and is never left (spec 3.3). */
export function depositRequestStatus(
  facts: DepositRequestFacts,
  nowMs: number,
): DepositRequestStatus {
  if (facts.hasCredited) return "settled";
  return nowMs >= facts.displayExpiresAtMs ? "expired_for_display" : "active";
}

export interface Windows {
  readonly displayMs: number;
  readonly monitoringMs: number;
  readonly reuseMs: number;
}

interface WindowEnds {
  readonly displayExpiresAtMs: number;
  readonly monitoredUntilMs: number;
  /** When a pool address may serve another request: past monitoring and past the reuse window. */
  readonly reusableAtMs: number;
}

export function windowEnds(windows: Windows, allocatedAtMs: number): WindowEnds {
  return {
    displayExpiresAtMs: allocatedAtMs + windows.displayMs,
    monitoredUntilMs: allocatedAtMs + windows.monitoringMs,
    reusableAtMs: allocatedAtMs + Math.max(windows.monitoringMs, windows.reuseMs),
  };
}

/** Block times are whole seconds. */
const BLOCK_TIME_STEP_MS = 1_000;
/** A payment dated this little before an allocation may be the first for it. */
const BEFORE_ALLOCATION_MS = 30_000;
/** Tips this much older or newer than our clock are normal. */
const TIP_AGE_MAX_MS = 60_000;
const TIP_AHEAD_MAX_MS = 15_000;

interface PaidSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * When a block was made, by the clock that dates requests: whoever had its address during all of
 * this time was paid. The newest block shows how far the chain's clock and ours are apart.
 */
export function paidSpan(
  { blockAtMs, tipAgeMs }: { blockAtMs: number; tipAgeMs: number },
): PaidSpan {
  const latestMs = blockAtMs + BLOCK_TIME_STEP_MS;
  const behindMs = tipAgeMs > TIP_AGE_MAX_MS ? tipAgeMs : 0;
  const aheadMs = -tipAgeMs > TIP_AHEAD_MAX_MS ? -tipAgeMs : 0;
  return { fromMs: latestMs - aheadMs, toMs: latestMs + BEFORE_ALLOCATION_MS + behindMs };
}
