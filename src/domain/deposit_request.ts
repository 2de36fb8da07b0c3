export const DEPOSIT_REQUEST_STATUSES = ["active", "expired_for_display", "settled"] as const;
export type DepositRequestStatus = typeof DEPOSIT_REQUEST_STATUSES[number];

export interface DepositRequestFacts {
  readonly displayExpiresAtMs: number;
  /** One of its listed transactions has confirmed and been credited, now or ever. */
  readonly hasCredited: boolean;
}

/** Settled wins over expired and is never left (spec 3.3). */
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

export interface WindowEnds {
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
