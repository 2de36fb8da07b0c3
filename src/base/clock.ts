export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

const LOOK_EVERY_MS = 250;

/** The first result for which `isSo` holds, or the last one in time. */
export async function lookUntil<T>(
  look: () => Promise<T>,
  { isSo, waitMs }: { isSo: (found: T) => boolean; waitMs: number },
): Promise<T> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (isSo(found) || performance.now() >= untilMs) return found;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Resolves early, without an error, when the signal fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
