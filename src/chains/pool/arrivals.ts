/** After the expected time of a block, if it isn't there yet. */
const LOOKS_AFTER_MS = [0, 120, 360, 840] as const;
/** How much later than expected each block may come, and how much sooner it is looked for. */
const LATER_MS = 5;
const SOONER_MS = 25;
/** Within this, nothing is gained by looking for the time more exactly. */
const EXACT_MS = 120;
/** So many expected blocks may be missing before the chain has no rhythm any more. */
const MISSING_MAX = 3;
/** Faster chains are asked as often as the operator wants. */
const BLOCK_MS_MIN = 1_000;

interface Seen {
  readonly height: number;
  /** When somebody asked who was shown it. */
  readonly askedAtMs: number;
}

/**
 * Learns when nodes have new blocks, by our clock: each shows that it came after the last look that
 * didn't find it, and before the one that did. So the next is looked for when it is expected.
 */
export class Arrivals {
  #newest: { readonly height: number; readonly afterMs: number; readonly byMs: number } | undefined;
  /** The last look that found nothing newer. */
  #missedAtMs: number | undefined;

  note({ height, askedAtMs }: Seen, blockMs: number | null): void {
    const before = this.#newest;
    if (before && height <= before.height) {
      this.#missedAtMs = askedAtMs;
      return;
    }
    const gap = this.#missedAtMs ?? -Infinity;
    this.#missedAtMs = undefined;
    const byMs = askedAtMs;
    const known = before && blockMs !== null && height === before.height + 1
      ? later(before, { byMs: askedAtMs, blockMs })
      : { afterMs: byMs - (blockMs ?? 0), byMs };
    const found = { afterMs: Math.max(known.afterMs, gap), byMs: Math.min(known.byMs, byMs) };
    // It came later than any before it.
    const window = found.afterMs < found.byMs ? found : { afterMs: Math.max(gap, byMs - 1), byMs };
    this.#newest = { height, ...window };
  }

  /** In how long somebody should look again; null if nothing is known. */
  lookInMs(nowMs: number, blockMs: number | null): number | null {
    const newest = this.#newest;
    if (!newest || blockMs === null || blockMs < BLOCK_MS_MIN) return null;
    const { afterMs, byMs } = newest;
    const isExact = byMs - afterMs <= EXACT_MS;
    const expectedMs = isExact ? byMs : (afterMs + byMs) / 2;
    const times = isExact ? LOOKS_AFTER_MS : [...LOOKS_AFTER_MS, byMs - expectedMs];
    for (let blocks = 1; blocks <= MISSING_MAX; blocks++) {
      const next = times.map((ms) => expectedMs + blocks * blockMs + ms).filter((ms) => ms > nowMs);
      if (next.length > 0) return Math.min(...next) - nowMs;
    }
    return null;
  }
}

/** The same, some blocks later: now and then one is left out. */
function later(
  { afterMs, byMs }: { readonly afterMs: number; readonly byMs: number },
  seen: { readonly byMs: number; readonly blockMs: number },
) {
  const blocks = Math.max(1, Math.round((seen.byMs - byMs) / seen.blockMs));
  const passedMs = blocks * seen.blockMs;
  return { afterMs: afterMs + passedMs - SOONER_MS, byMs: byMs + passedMs + LATER_MS };
}
