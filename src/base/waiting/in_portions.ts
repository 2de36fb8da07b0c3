import { nextTurn } from "./next_turn.ts";

const PORTION_MS = 15;

/** For items whose work is a look-up or a comparison: asking for the time takes as long. */
export const SMALL_ITEMS = { itemsPerLook: 16 };

/** Like `map`, but lets the event loop do what has come meanwhile after each few milliseconds. */
export async function mapInPortions<T, R>(
  items: readonly T[],
  work: (item: T, i: number) => R | Promise<R>,
  { itemsPerLook = 1 }: { itemsPerLook?: number } = {},
): Promise<R[]> {
  const results: R[] = [];
  let startedMs = performance.now();
  for (let i = 0; i < items.length; i++) {
    if (i % itemsPerLook === 0 && performance.now() - startedMs > PORTION_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    const result = work(items[i]!, i);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}
