import type { TransactionRow } from "../deposits/tables/transactions.ts";
import type { NetworkCursorRow } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";

/**
 * A finalized tag stuck for longer is ignored: then only the number of blocks decides, and it must
 * be several times as high.
 */
const FINALITY_STALE_MS = 30 * 60_000;
export const STALE_DEPTH_FACTOR = 4;
/** Of the time between two looks: a node that has just started may not know yet what is final. */
const UNSEEN_MAX_MS = 5 * 60_000;

/** Blocks remembered for going back; a deeper reorganisation stops the network. */
export const BLOCKS_REMEMBERED = 512;

/** Deep enough in the blocks read to count as permanent. */
export function isFinal(
  height: number,
  { cursor, network }: { cursor: NetworkCursorRow; network: NetworkRow },
): boolean {
  const depth = cursor.scanHeight - height + 1;
  if (depth < network.minConfirmations) return false;
  if (network.finality === "none") return true;
  if (height <= (cursor.finalizedHeight ?? -1)) return true;
  return isFinalityStale(cursor) && depth >= STALE_DEPTH_FACTOR * network.minConfirmations;
}

/** While nodes don't say what is final, the last final block gets older with the chain. */
export function finalizedAge(
  { finalizedAgeMs, tipAtMs }: NetworkCursorRow,
  { network, tip }: {
    network: NetworkRow;
    tip: { readonly atMs: number; readonly finalizedAgeMs: number | null };
  },
): number | null {
  if (tip.finalizedAgeMs !== null || network.finality === "none") return tip.finalizedAgeMs;
  const passedMs = Math.max(0, tip.atMs - (tipAtMs ?? tip.atMs));
  return (finalizedAgeMs ?? 0) + Math.min(passedMs, UNSEEN_MAX_MS);
}

export function isFinalityStale({ finalizedAgeMs }: NetworkCursorRow): boolean {
  return finalizedAgeMs !== null && finalizedAgeMs > FINALITY_STALE_MS;
}

/** The highest permanent block; below the first one if there is none yet. */
export function finalHeight(
  { cursor, network }: { cursor: NetworkCursorRow; network: NetworkRow },
): number {
  const counted = cursor.scanHeight - network.minConfirmations + 1;
  if (network.finality === "none") return counted;
  const stale = cursor.scanHeight - STALE_DEPTH_FACTOR * network.minConfirmations + 1;
  const finalized = cursor.finalizedHeight ?? -1;
  return Math.min(counted, isFinalityStale(cursor) ? Math.max(finalized, stale) : finalized);
}

/** It has been in no block so far: a node had it among those that wait. */
export function isUnmined({ blockNumber, blockHash }: TransactionRow): boolean {
  return blockHash === null && blockNumber === 0;
}

/** It was seen and is in no block now, and may come back. */
export function isAdrift({ status, blockHash }: TransactionRow): boolean {
  return status === "detected" && blockHash === null;
}

/**
 * It is in no block, and a reorganisation that brings back the one it was in would not be believed
 * any more. Only if it is mined anew is it there again.
 */
export function isGone(
  row: TransactionRow,
  { scanHeight, finalizedHeight }: Pick<NetworkCursorRow, "scanHeight" | "finalizedHeight">,
): boolean {
  const { blockNumber } = row;
  // One that was seen ahead of the gapless reading isn't missing before that has come there.
  if (!isAdrift(row) || isUnmined(row) || scanHeight < blockNumber) return false;
  return blockNumber <= (finalizedHeight ?? -1) || scanHeight - blockNumber >= BLOCKS_REMEMBERED;
}
