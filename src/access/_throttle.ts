import { ipSource } from "../base/net/ip_source.ts";
import {
  type Budget,
  chargedUntilMs,
  failureBudget,
  type GuessRules,
  judgeGuess,
  linkRules,
  proofRules,
  signInRules,
} from "./rules/guess_limits.ts";
import { signInAddresses } from "../audit/reads/audit.ts";
import { Throttles, type UserRow } from "./tables/users.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

const SITE_BITS = 48;

/** Either charged, or refused for this many seconds. */
export type Counted =
  | { readonly charged: readonly Budget[]; readonly retryAfterS?: never }
  | { readonly retryAfterS: number; readonly charged?: never };

type Counting = Pick<Deps, "db" | "clock" | "memory">;

/** Whether one of the user's latest sign-ins came from there. */
export async function isKnownAddress(
  { db }: Pick<Deps, "db">,
  { userId, ip }: { userId: number; ip: string },
): Promise<boolean> {
  const addresses = await signInAddresses(db, userId);
  return addresses.some((address) => ipSource(address) === ipSource(ip));
}

export function signInRulesOf(
  { who, ip, isKnown }: { who: string; ip: string; isKnown: boolean },
): GuessRules {
  return signInRules({ who, source: ipSource(ip), site: ipSource(ip, SITE_BITS), isKnown });
}

export function linkRulesOf(ip: string): GuessRules {
  return linkRules({ source: ipSource(ip), site: ipSource(ip, SITE_BITS) });
}

/** For users with a session, or past the password step. */
export async function countProof(
  deps: Counting,
  { user: { id }, ip }: { user: Pick<UserRow, "id">; ip: string },
): Promise<Counted> {
  const isKnown = await isKnownAddress(deps, { userId: id, ip });
  return await countTry(deps, proofRules({ who: `user:${id}`, source: ipSource(ip), isKnown }));
}

/**
 * Checks a guess without counting it, because a guess that will be refused need not wait for its
 * turn.
 */
export async function secondsToWait(
  { db, clock, memory: { throttles } }: Counting,
  rules: GuessRules,
): Promise<number | undefined> {
  const names = namesOf(rules);
  const rows = await Promise.all(names.map((name) => db.find(Throttles, [name])));
  const stored = new Map(rows.flatMap((row) => row ? [[row.name, row.endsAtMs] as const] : []));
  const spent = (name: string) => later(stored.get(name), throttles.get(name));
  return secondsOf(judgeGuess(rules, spent, clock.nowMs()));
}

/** Counts a guess before checking it, so that many at once can't slip through. */
export async function countTry(
  { db, clock, memory: { throttles } }: Counting,
  rules: GuessRules,
): Promise<Counted> {
  const names = namesOf(rules);
  const ends = new Map<string, number>();
  const counted = await db.write({
    reads: readAll(Throttles, names.map((name) => [name])),
    decide: (view): Counted => {
      const nowMs = clock.nowMs();
      for (const name of names) {
        const row = view.find(Throttles, [name]);
        const endsAtMs = later(row?.endsAtMs, throttles.get(name));
        const isLost = endsAtMs !== undefined && endsAtMs > Math.max(nowMs, row?.endsAtMs ?? 0);
        if (isLost) setEnd(view, name, endsAtMs);
      }
      const spent = (name: string) => view.find(Throttles, [name])?.endsAtMs;
      const verdict = judgeGuess(rules, spent, nowMs);
      if (!verdict.isAllowed) return { retryAfterS: secondsOf(verdict)! };
      for (const budget of verdict.charged) charge(view, budget, nowMs);
      for (const mark of rules.marks) {
        if (!verdict.charged.includes(mark)) setEnd(view, mark.name, nowMs + mark.everyMs);
      }
      for (const name of names) ends.set(name, spent(name) ?? 0);
      return { charged: verdict.charged };
    },
  });
  for (const [name, endsAtMs] of ends) throttles.set(name, endsAtMs);
  return counted;
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? one ?? other : Math.max(one, other);
}

export function throttleReads(charged: readonly Budget[]): Read[] {
  return charged.map(({ name }) => read(Throttles, [name]));
}

/** A correct answer is not counted as a guess. */
export function takeBackTry(
  view: View,
  { memory, charged }: Pick<Deps, "memory"> & { charged: readonly Budget[] },
): void {
  for (const { name, everyMs } of charged) {
    const row = view.find(Throttles, [name]);
    if (!row) continue;
    view.update(Throttles, row, { endsAtMs: row.endsAtMs - everyMs });
    memory.throttles.set(name, row.endsAtMs - everyMs);
  }
}

export function failureReads(subject: string): Read[] {
  return throttleReads([failureBudget(subject)]);
}

/**
 * Whether to record this failure, and how many weren't recorded since the last. The audit log is
 * never cut, so guessing must not fill the disk.
 */
export function countFailure(
  view: View,
  { subject, nowMs }: { subject: string; nowMs: number },
): { isRecorded: boolean; unrecorded: number } {
  const budget = failureBudget(subject);
  const row = view.find(Throttles, [budget.name]);
  const rules = { rules: [{ budget }], marks: [] };
  if (judgeGuess(rules, () => row?.endsAtMs, nowMs).isAllowed) {
    charge(view, budget, nowMs);
    const current = view.get(Throttles, [budget.name]);
    if (row) view.update(Throttles, current, { tries: 0 });
    return { isRecorded: true, unrecorded: row?.tries ?? 0 };
  }
  const spent = view.get(Throttles, [budget.name]);
  const { tries } = view.update(Throttles, spent, { tries: spent.tries + 1 });
  return { isRecorded: false, unrecorded: tries };
}

function charge(view: View, budget: Budget, nowMs: number): void {
  const before = view.find(Throttles, [budget.name])?.endsAtMs;
  setEnd(view, budget.name, chargedUntilMs(budget, before, nowMs));
}

function setEnd(view: View, name: string, endsAtMs: number): void {
  const row = view.find(Throttles, [name]);
  if (row) view.update(Throttles, row, { endsAtMs });
  else view.insertKeyed(Throttles, { name, tries: 0, endsAtMs });
}

function namesOf({ rules, marks }: GuessRules): string[] {
  const budgets = rules.flatMap(({ budget, standIns = [] }) => [budget, ...standIns]);
  return [...new Set([...budgets, ...marks].map(({ name }) => name))];
}

function secondsOf(verdict: ReturnType<typeof judgeGuess>): number | undefined {
  return verdict.isAllowed ? undefined : Math.ceil(verdict.retryAfterMs / 1000);
}
