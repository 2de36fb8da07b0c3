import { nextTurn } from "./next_turn.ts";

const PORTION_MS = 15;
/** Asking for the time takes as long as a small item's work. */
const QUICK_ITEMS = 8;
const QUICK_MS = 1;

/** Like `map`, but lets the event loop do what has come meanwhile after each few milliseconds. */
export async function mapInPortions<T, R>(
  items: readonly T[],
  work: (item: T, i: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let startedMs = performance.now();
  let [lookedMs, lookAt] = [startedMs, 0];
  for (let i = 0; i < items.length; i++) {
    const result = work(items[i]!, i);
    const isWaiting = result instanceof Promise;
    results.push(isWaiting ? await result : result);
    if (i < lookAt && !isWaiting) continue;
    const nowMs = performance.now();
    lookAt = i + (nowMs - lookedMs < QUICK_MS ? QUICK_ITEMS : 1);
    lookedMs = nowMs;
    if (nowMs - startedMs <= PORTION_MS || i === items.length - 1) continue;
    await nextTurn();
    startedMs = lookedMs = performance.now();
  }
  return results;
}
