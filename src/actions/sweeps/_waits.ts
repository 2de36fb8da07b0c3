import type { SweepRow } from "../../store/tables/sweeps.ts";
import type { Deps } from "../deps.ts";

export const SOON_MS = 30_000;
export const LATER_MS = 600_000;
const DUST_MAX_MS = 6 * 3_600_000;
const DUST_WAITS_OF_ITS_AGE = 8;

/** Each look costs several node requests, so old dust is looked at rarely. */
export function dustWaitMs({ clock }: Deps, { createdAtMs }: SweepRow): number {
  const ageMs = clock.nowMs() - createdAtMs;
  return Math.min(Math.max(LATER_MS, ageMs / DUST_WAITS_OF_ITS_AGE), DUST_MAX_MS);
}
