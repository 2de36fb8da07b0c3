import { startStopwatch } from "./stopwatch.ts";

/** Asks until the answer is right, and fails after a while: never for the machine being busy. */
export async function eventually<T>(
  ask: () => Promise<T>,
  { until, withinMs = 120_000 }: { until: (value: T) => boolean; withinMs?: number },
): Promise<T> {
  using stopwatch = startStopwatch();
  for (;;) {
    const value = await ask();
    if (until(value)) return value;
    if (stopwatch.ms() > withinMs) {
      throw new Error(`It did not come true in ${withinMs} ms: ${JSON.stringify(value)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
