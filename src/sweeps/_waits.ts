import type { SweepRow } from "./table.ts";
import type { Deps } from "../deps/deps.ts";

export const SOON_MS = 30_000;
export const LATER_MS = 600_000;
const DUST_MAX_MS = 6 * 3_600_000;
const DUST_WAITS_OF_ITS_AGE = 8;

/** Old dust is looked at rarely: each look costs node requests, and a place before new sweeps. */
export function dustWaitMs({ clock }: Deps, { createdAtMs }: SweepRow): number {
  const ageMs = clock.nowMs() - createdAtMs;
  return Math.min(Math.max(LATER_MS, Math.ceil(ageMs / DUST_WAITS_OF_ITS_AGE)), DUST_MAX_MS);
}
