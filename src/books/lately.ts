import { deadlineIn, OutOfTime } from "../base/waiting/deadline.ts";
import type { Deps } from "../deps/deps.ts";
import type { Look } from "../deps/memory.ts";

/** The shortest time between two looks, however many pages are open. */
const FRESH_MS = 15_000;
const FORGOTTEN_MS = 60_000;
/** Something has happened that the last look can't know of. */
const AGAIN_MS = 1_000;

interface LookOrder<T> {
  readonly key: string;
  /** Differs once something has happened that changes the answer. */
  readonly stamp?: string;
  readonly look: () => Promise<T>;
  readonly waitMs: number;
  /** How long to wait if something is known already. */
  readonly waitAgainMs?: number;
}

/**
 * For expensive look-ups shown to people: the result may be some seconds old; undefined while
 * nothing is known.
 */
export async function lately<T>(
  { memory, clock }: Pick<Deps, "memory" | "clock">,
  { key, stamp = "", look, waitMs, waitAgainMs = waitMs }: LookOrder<T>,
): Promise<T | undefined> {
  const known = memory.looks as Map<string, Look<T>>;
  const nowMs = clock.nowMs();
  let last = known.get(key);
  // While one hangs, others don't help.
  const isAnswered = last !== undefined && last.found?.atMs === last.atMs;
  const freshMs = isAnswered && last?.stamp !== stamp ? AGAIN_MS : FRESH_MS;
  if (!last || nowMs - last.atMs >= freshMs) {
    for (const [other, { atMs }] of known) if (nowMs - atMs > FORGOTTEN_MS) known.delete(other);
    const found = last?.found && nowMs - last.found.atMs <= FORGOTTEN_MS ? last.found : undefined;
    last = lookNow(look, { stamp, atMs: nowMs, found });
    known.set(key, last);
  }
  const deadline = deadlineIn(last.found === undefined ? waitMs : waitAgainMs);
  try {
    return await deadline.race(last.answer);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return last.found?.value;
  } finally {
    deadline.cancel();
  }
}

function lookNow<T>(
  look: () => Promise<T>,
  { stamp, atMs, found }: Pick<Look<T>, "stamp" | "atMs" | "found">,
): Look<T> {
  const now: Look<T> = { stamp, atMs, answer: look(), found };
  // A failure now doesn't invalidate an answer from moments ago.
  now.answer.then((value) => now.found = { atMs, value }, () => {});
  return now;
}
