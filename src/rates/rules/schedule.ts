/** For how many seconds a price may count; shorter ones would be asked for all the time. */
export const MAX_AGE_S = { min: 10, max: 604_800 };

export interface Due {
  readonly atMs: number;
  /** How long it waits for that. */
  readonly pauseMs: number;
  readonly failures: number;
}

const PAUSE_MAX_MS = 5 * 60_000;
const DOUBLINGS_MAX = 20;

/** When to read a source again: one that fails is asked less and less often. */
export function dueAfter(
  { startedAtMs, everyMs, failures }: { startedAtMs: number; everyMs: number; failures: number },
): Due {
  const doubled = everyMs * 2 ** Math.min(Math.max(0, failures - 1), DOUBLINGS_MAX);
  const pauseMs = Math.max(everyMs, Math.min(doubled, PAUSE_MAX_MS));
  return { atMs: startedAtMs + pauseMs, pauseMs, failures };
}
