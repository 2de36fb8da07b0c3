const WINDOW_MS = 24 * 3_600_000;

/** Two failures within a day: each cost us gas, and the next payment would too. */
export function isFailing(failedAtMs: readonly number[]): boolean {
  const inOrder = failedAtMs.toSorted((a, b) => a - b);
  return inOrder.some((atMs, i) => atMs - (inOrder[i - 1] ?? -Infinity) <= WINDOW_MS);
}
