const WINDOW_MS = 24 * 3_600_000;

/** Two failures within a day: each cost us gas, and the next payment would too. */
export function isFailing(failedAtMs: readonly number[]): boolean {
  const inOrder = failedAtMs.toSorted((a, b) => a - b);
  return inOrder.some((atMs, i) => atMs - (inOrder[i - 1] ?? -Infinity) <= WINDOW_MS);
}

/** Of an account's newest payments of a currency, and how many of them may fail. */
export const PAYMENTS_SEEN = 40;
export const FAILED_MAX = 20;

/** Whoever lets payments fail can let some succeed in between, so they needn't fail in a row. */
export function isFailingTooOften(newestSucceeded: readonly boolean[]): boolean {
  return newestSucceeded.slice(0, PAYMENTS_SEEN).filter((succeeded) => !succeeded).length >=
    FAILED_MAX;
}
