/** The first one counts: an eighth more each time comes to less than twice the first price. */
export const BIDS_MAX = 6;

/** Looks at the chain until it is known that the newest bid was not taken. */
const LOOKS_BETWEEN_BIDS = 4;

type BidRefusal =
  | { readonly kind: "too_many"; readonly bids: number }
  | { readonly kind: "too_soon"; readonly inMs: number };

/** A first replacement may follow at once; from then on each bid gets the time to be mined. */
export function refusalOfBid(
  { bids, newestAtMs, pollIntervalMs, nowMs }: {
    bids: number;
    newestAtMs: number;
    pollIntervalMs: number;
    nowMs: number;
  },
): BidRefusal | undefined {
  if (bids >= BIDS_MAX) return { kind: "too_many", bids };
  const inMs = newestAtMs + LOOKS_BETWEEN_BIDS * pollIntervalMs - nowMs;
  return bids > 1 && inMs > 0 ? { kind: "too_soon", inMs } : undefined;
}
