import type { Clock } from "../../base/clock.ts";
import type { Tip } from "../chain.ts";

/** Each slot has one block; now and then a slot stays empty. */
const SLOT_MS = 3_000;
const QUIET_MAX_MS = SLOT_MS + 1_500;
/** So that one poll in sixty comes too early, however unevenly blocks arrive. */
const EARLIER_MS = 4;
const LATER_MS = 250;
/** Clocks further apart than this can't be compared. */
const LATE_MAX_MS = 60_000;

export interface Rhythm {
  note(tip: Tip): Tip;
  quietForMs(): number | null;
}

/**
 * Predicts the next block, so that polls aren't wasted: one slot after the newest, plus the delay
 * at which blocks have lately been announced.
 */
export function createRhythm(clock: Clock): Rhythm {
  let newest: Tip | undefined;
  let lateMs: number | undefined;

  function dueInMs(): number | null {
    if (!newest || lateMs === undefined || Math.abs(lateMs) > LATE_MAX_MS) return null;
    return newest.atMs + SLOT_MS + lateMs - clock.nowMs();
  }

  return {
    note: (tip) => {
      const seenLateMs = clock.nowMs() - tip.atMs;
      const dueMs = dueInMs();
      if (newest === undefined || tip.height > newest.height) {
        lateMs = Math.min(lateMs ?? seenLateMs, seenLateMs) - EARLIER_MS;
        newest = tip;
      } else if (dueMs !== null && dueMs <= 0 && lateMs !== undefined) {
        lateMs += LATER_MS;
      }
      return tip;
    },
    quietForMs: () => {
      const dueMs = dueInMs();
      return dueMs === null || dueMs <= 0 || dueMs > QUIET_MAX_MS ? null : dueMs;
    },
  };
}
