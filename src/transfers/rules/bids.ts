/** Of those for one place alone, the first one included: raising by an eighth each time stays below twice the first price. */
export const BIDS_MAX = 6;

/** How many checks of the chain show that the newest bid was not mined. */
const LOOKS_BETWEEN_BIDS = 4;

type BidRefusal =
  | { readonly kind: "too_many"; readonly bids: number }
  | { readonly kind: "too_soon"; readonly inMs: number };

/** The first replacement may follow at once; after that each bid gets time to be mined. */
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
