import { deadlineIn, OutOfTime } from "../base/deadline.ts";
import type { Db } from "../store/db.ts";
import type { Deps } from "./deps.ts";

/** However many pages are open, it is looked at no more often. */
const FRESH_MS = 15_000;
const FORGOTTEN_MS = 60_000;

interface Look<T> {
  readonly atMs: number;
  readonly answer: Promise<T>;
  /** The newest that was answered, while nothing newer is. */
  told: T | undefined;
}

export interface LookOrder<T> {
  readonly key: string;
  readonly look: () => Promise<T>;
  readonly waitMs: number;
  /** Where something is known already. */
  readonly waitAgainMs?: number;
}

const looks = new WeakMap<Db, Map<string, Look<unknown>>>();

/** What costs much to look at, for people to read: some seconds old, undefined while nothing is known. */
export async function lately<T>(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { key, look, waitMs, waitAgainMs = waitMs }: LookOrder<T>,
): Promise<T | undefined> {
  const known = (looks.get(db) ?? new Map()) as Map<string, Look<T>>;
  looks.set(db, known);
  const nowMs = clock.nowMs();
  let last = known.get(key);
  if (!last || nowMs - last.atMs >= FRESH_MS) {
    for (const [other, { atMs }] of known) if (nowMs - atMs > FORGOTTEN_MS) known.delete(other);
    last = lookNow(look, { atMs: nowMs, told: last?.told });
    known.set(key, last);
  }
  const deadline = deadlineIn(last.told === undefined ? waitMs : waitAgainMs);
  try {
    return await deadline.race(last.answer);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return last.told;
  } finally {
    deadline.cancel();
  }
}

function lookNow<T>(
  look: () => Promise<T>,
  { atMs, told }: { atMs: number; told: T | undefined },
): Look<T> {
  const now: Look<T> = { atMs, answer: look(), told };
  now.answer.then((found) => now.told = found, () => now.told = undefined);
  return now;
}
