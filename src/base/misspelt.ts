import { at, last } from "./lists.ts";

/** A more distant name is a different word; for short names the limit is lower. */
const DISTANCE_MAX = 3;

/** The hint "did you mean …?", or nothing if no known name is near. */
export function meant(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  return askFor(nearest.length > 0 ? nearest : longerThan(name, known));
}

/** "reference" for client_reference, or "user" for user_identifier. */
function longerThan(name: string, known: readonly string[]): string[] {
  return known.filter((one) => one.split(/[_-]/).includes(name.toLowerCase()));
}

export function askFor(likely: readonly string[]): string {
  return likely.length > 0 ? `; did you mean ${likely.join(" or ")}?` : "";
}

/** One or none. */
export function nearestOf(name: string, known: readonly string[]): string[] {
  return known
    .map((one) => ({ one, distance: distanceOf(name, one) }))
    .filter(({ one, distance }) => distance <= Math.min(DISTANCE_MAX, Math.ceil(one.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 1)
    .map(({ one }) => one);
}

/** Counts letters inserted, omitted, changed, or swapped with their neighbour (Damerau). */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const changed = at(row, j) + (one[i] === other[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j];
      const swapped = isSwap ? at(before, j - 1) + 1 : Infinity;
      next.push(Math.min(at(next, j) + 1, at(row, j + 1) + 1, changed, swapped));
    }
    [before, row] = [row, next];
  }
  return last(row);
}
