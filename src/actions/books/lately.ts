import { deadlineIn, OutOfTime } from "../../base/waiting/deadline.ts";
import type { Deps } from "../deps.ts";
import type { Look } from "../memory.ts";

/** The shortest time between two looks, however many pages are open. */
const FRESH_MS = 15_000;
const FORGOTTEN_MS = 60_000;

interface LookOrder<T> {
  readonly key: string;
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
  { key, look, waitMs, waitAgainMs = waitMs }: LookOrder<T>,
): Promise<T | undefined> {
  const known = memory.looks as Map<string, Look<T>>;
  const nowMs = clock.nowMs();
  let last = known.get(key);
  if (!last || nowMs - last.atMs >= FRESH_MS) {
    for (const [other, { atMs }] of known) if (nowMs - atMs > FORGOTTEN_MS) known.delete(other);
    const found = last?.found && nowMs - last.found.atMs <= FORGOTTEN_MS ? last.found : undefined;
    last = lookNow(look, { atMs: nowMs, found });
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
  { atMs, found }: { atMs: number; found: Look<T>["found"] },
): Look<T> {
  const now: Look<T> = { atMs, answer: look(), found };
  // A failure now doesn't invalidate an answer from moments ago.
  now.answer.then((value) => now.found = { atMs, value }, () => {});
  return now;
}
