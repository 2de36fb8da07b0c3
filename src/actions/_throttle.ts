import { Throttles } from "../store/user_tables.ts";
import { type Read, read, readAll, type View } from "../store/workspace.ts";
import type { Deps } from "./deps.ts";

export interface Throttle {
  readonly name: string;
  readonly triesMax: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/** Guessing is slow for one who attacks; whoever signs in from elsewhere is not locked out by it. */
export function signInThrottles({ email, ip }: { email: string; ip: string }): Throttle[] {
  return [
    { name: `sign_in ${ip} ${email}`, triesMax: 5, windowMs: 15 * MINUTE_MS },
    { name: `sign_in ${ip}`, triesMax: 30, windowMs: 15 * MINUTE_MS },
    { name: `sign_in ${email}`, triesMax: 100, windowMs: 60 * MINUTE_MS },
  ];
}

/** For whoever got past the password already: codes, and the password again. */
export function proofThrottle(userId: number): Throttle {
  return { name: `proof user:${userId}`, triesMax: 8, windowMs: 15 * MINUTE_MS };
}

/**
 * Counts a try before it is looked at, so that many at once are not looked at either. Answers after
 * how many seconds to come again; undefined: go on.
 */
export async function countTry(
  { db, clock }: Pick<Deps, "db" | "clock">,
  throttles: readonly Throttle[],
): Promise<number | undefined> {
  const nowMs = clock.nowMs();
  return await db.write({
    reads: readAll(Throttles, throttles.map(({ name }) => [name])),
    decide: (view) => {
      const rows = throttles.map(({ name }) => view.find(Throttles, [name]));
      const full = rows.filter((row, i) =>
        row && row.endsAtMs > nowMs && row.tries >= throttles[i]!.triesMax
      );
      if (full.length > 0) {
        const latest = Math.max(...full.map((row) => row!.endsAtMs));
        return Math.ceil((latest - nowMs) / 1000);
      }
      throttles.forEach(({ name, windowMs }, i) => {
        const row = rows[i];
        const fresh = { tries: 1, endsAtMs: nowMs + windowMs };
        if (!row) view.insertKeyed(Throttles, { name, ...fresh });
        else view.update(Throttles, row, row.endsAtMs > nowMs ? { tries: row.tries + 1 } : fresh);
      });
      return undefined;
    },
  });
}

export function throttleReads(throttles: readonly Throttle[]): Read[] {
  return throttles.map(({ name }) => read(Throttles, [name]));
}

/** A right answer takes back what was counted for it. */
export function takeBackTry(view: View, throttles: readonly Throttle[]): void {
  for (const { name } of throttles) {
    const row = view.find(Throttles, [name]);
    if (row) view.update(Throttles, row, { tries: Math.max(0, row.tries - 1) });
  }
}
