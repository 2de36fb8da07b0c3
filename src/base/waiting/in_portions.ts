import { nextTurn } from "./next_turn.ts";

const PORTION_MS = 15;

/** Like `map`, but lets the event loop do what has come meanwhile after each few milliseconds. */
export async function mapInPortions<T, R>(
  items: readonly T[],
  work: (item: T, i: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let startedMs = performance.now();
  for (const [i, item] of items.entries()) {
    if (performance.now() - startedMs > PORTION_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    const result = work(item, i);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}
