import { hasSignedInFrom } from "../store/audit_reads.ts";
import { Throttles, type UserRow } from "../store/user_tables.ts";
import { type Read, read, readAll, type View } from "../store/workspace.ts";
import type { Deps } from "./deps.ts";

export interface Throttle {
  readonly name: string;
  readonly triesMax: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/** Whose password or code it is, where it comes from, and whether they signed in from there before. */
interface Guess {
  readonly who: string;
  readonly ip: string;
  readonly isKnown: boolean;
}

/**
 * Guessing is slow for one who attacks, and for many who attack one login together. Its owner is not
 * locked out by them: what they try does not count where the owner has been before.
 */
export function signInThrottles({ who, ip, isKnown }: Guess): Throttle[] {
  const fromThere = [
    { name: `sign_in ${ip} ${who}`, triesMax: 5, windowMs: 15 * MINUTE_MS },
    { name: `sign_in ${ip}`, triesMax: 30, windowMs: 15 * MINUTE_MS },
  ];
  if (isKnown) return fromThere;
  return [...fromThere, { name: `sign_in ${who}`, triesMax: 100, windowMs: 60 * MINUTE_MS }];
}

/** For whoever got past the password already: codes, and the password again. */
function proofThrottle({ who, ip, isKnown }: Guess): Throttle {
  const name = isKnown ? `proof ${who} ${ip}` : `proof ${who}`;
  return { name, triesMax: 8, windowMs: 15 * MINUTE_MS };
}

/** Of one who has a session, or the password. */
export async function proofThrottleOf(
  { db }: Pick<Deps, "db">,
  { user: { id }, ip }: { user: Pick<UserRow, "id">; ip: string },
): Promise<Throttle> {
  const isKnown = await hasSignedInFrom(db, { userId: id, ip });
  return proofThrottle({ who: `user:${id}`, ip, isKnown });
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
