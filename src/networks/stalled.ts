import { isLocalChain } from "../chains/registry.ts";

/** No chain that is worth following pauses for so long unless something is wrong. */
const STALLED_AFTER_MS = 10 * 60_000;

/**
 * A node that answers looks healthy even if it gets no more blocks, or is only catching up. Local
 * chains make blocks only when there is something to mine.
 */
export function isStalled(
  { chainId, isActive }: { readonly chainId: string; readonly isActive: boolean },
  { tipAtMs, nowMs }: { readonly tipAtMs: number | null; readonly nowMs: number },
): boolean {
  if (!isActive || isLocalChain(chainId) || tipAtMs === null) return false;
  return nowMs - tipAtMs > STALLED_AFTER_MS;
}
