import type { Missing } from "../part.ts";
import { figureRow, type Row } from "../row.ts";

/** What a row must reach. */
interface Goal {
  readonly name: string;
  readonly unit: string;
  readonly must: number;
  readonly isAtMost: boolean;
}

export function atMost(must: number, unit: string, name: string): Goal {
  return { name, unit, must, isAtMost: true };
}

export function atLeast(must: number, unit: string, name: string): Goal {
  return { name, unit, must, isAtMost: false };
}

export function rowOf(goal: Goal, ...figures: readonly number[]): Row {
  return figureRow(goal, figures);
}

export function namesOf(goals: Readonly<Record<string, Goal>>): string[] {
  return Object.values(goals).map(({ name }) => name);
}

/** All rows of something of which there was none. */
export function noneOf(goals: Readonly<Record<string, Goal>>, reason: string): Missing[] {
  return namesOf(goals).map((name) => ({ name, reason }));
}

/** Asks until it is so, or the time is over. */
export async function waitUntil(
  isSo: () => Promise<boolean> | boolean,
  { seconds }: { seconds: number },
): Promise<boolean> {
  const endAt = performance.now() + 1_000 * seconds;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() > endAt) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function mustBecome(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  seconds = 60,
): Promise<void> {
  if (!await waitUntil(isSo, { seconds })) throw new Error(`${what}: not in ${seconds} s`);
}

/** How many of each kind. */
export function callsBy(asked: readonly string[]): string {
  return [...Map.groupBy(asked, (method) => method)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([method, { length }]) => `${method} ${length}`)
    .join(", ");
}
