import { invariant } from "./assert.ts";

/** The only element of a list that always has exactly one. */
export function one<T>(list: readonly T[]): T {
  invariant(list.length === 1, () => `One element was expected, not ${list.length}`);
  return first(list);
}

/** For lists that are never empty. */
export function first<T>(list: readonly T[]): T {
  return at(list, 0);
}

/** For lists that are never empty. */
export function last<T>(list: readonly T[]): T {
  return at(list, list.length - 1);
}

/** For elements that must exist. */
export function at<T>(list: readonly T[], i: number): T {
  invariant(i in list, () => `A list of ${list.length} has no element ${i}`);
  return list[i] as T;
}

/** Pairs the elements of two lists, such as questions with their answers. */
export function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  invariant(some.length === others.length, () => `${some.length} don't match ${others.length}`);
  return some.map((each, i) => [each, at(others, i)]);
}

/** Of a table written out in code, which therefore has no other keys than its type says. */
export function keysOf<K extends string>(table: { readonly [key in K]?: unknown }): K[] {
  return Object.keys(table) as K[];
}

/** The first of each list, then the second of each, and so on. */
export function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1)))
    .flat();
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
