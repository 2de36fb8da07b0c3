import { startStopwatch } from "./stopwatch.ts";

/** What others wait for has a processor meanwhile, and nobody notices a tenth more. */
const PAUSE_MS = { min: 25, max: 200, share: 0.1 };

/** Asks until the answer is right, and fails after a while: never for the machine being busy. */
export async function eventually<T>(
  ask: () => Promise<T>,
  { until, withinMs = 120_000 }: { until: (value: T) => boolean; withinMs?: number },
): Promise<T> {
  using stopwatch = startStopwatch();
  for (;;) {
    const value = await ask();
    if (until(value)) return value;
    const waitedMs = stopwatch.ms();
    if (waitedMs > withinMs) {
      throw new Error(`It did not come true in ${withinMs} ms: ${JSON.stringify(value)}`);
    }
    const pauseMs = Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, PAUSE_MS.share * waitedMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
