/**
 * Allows `burst` guesses at once and one more every `everyMs`. Full again at `endsAtMs`, and then
 * forgotten.
 */
export interface Budget {
  readonly name: string;
  readonly burst: number;
  readonly everyMs: number;
}

interface GuessRule {
  readonly budget: Budget;
  /** If the budget is used up, room in all of these is enough. */
  readonly standIns?: readonly Budget[];
}

export interface GuessRules {
  readonly rules: readonly GuessRule[];
  /** Charged for every guess, allowed or not. */
  readonly marks: readonly Budget[];
}

export interface Guess {
  readonly who: string;
  /** An IPv4 address or an IPv6 /64. */
  readonly source: string;
  /** An IPv4 address or an IPv6 /48, which may belong to one customer. */
  readonly site: string;
  /** They have signed in from this source before. */
  readonly isKnown: boolean;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Strangers share one budget per login, so they can't use up what its owner has where they signed
 * in before. Once that budget is gone, a stranger who hasn't guessed at this login yet may still
 * try: it may be the owner on a journey.
 */
export function signInRules({ who, source, site, isKnown }: Guess): GuessRules {
  if (isKnown) {
    const own = { name: `sign_in home ${source} ${who}`, burst: 10, everyMs: MINUTE_MS };
    return { rules: [{ budget: own }], marks: [] };
  }
  const pair = `sign_in ${source} ${who}`;
  const newcomer = { name: `sign_in new ${who}`, burst: 1, everyMs: 4 * SECOND_MS };
  const firstFromThere = { name: `sign_in ${site} at ${who}`, burst: 1, everyMs: 6 * HOUR_MS };
  return {
    rules: [
      { budget: { name: pair, burst: 5, everyMs: 3 * MINUTE_MS } },
      { budget: { name: `sign_in ${source}`, burst: 40, everyMs: 4 * SECOND_MS } },
      ...site === source ? [] : [
        { budget: { name: `sign_in all of ${site}`, burst: 400, everyMs: SECOND_MS / 2 } },
      ],
      {
        budget: { name: `sign_in ${who}`, burst: 100, everyMs: 36 * SECOND_MS },
        standIns: [newcomer, firstFromThere],
      },
    ],
    marks: [firstFromThere],
  };
}

/** For users past the password step: codes, and the password again. */
export function proofRules({ who, source, isKnown }: Omit<Guess, "site">): GuessRules {
  const name = isKnown ? `proof ${who} ${source}` : `proof ${who}`;
  return { rules: [{ budget: { name, burst: 8, everyMs: 2 * MINUTE_MS } }], marks: [] };
}

/** One-time links. Nobody guesses 256 bits, and nobody is to keep the database busy by trying. */
export function linkRules({ source, site }: Pick<Guess, "source" | "site">): GuessRules {
  return {
    rules: [
      { budget: { name: `link ${source}`, burst: 20, everyMs: MINUTE_MS } },
      ...site === source ? [] : [
        { budget: { name: `link all of ${site}`, burst: 200, everyMs: 6 * SECOND_MS } },
      ],
    ],
    marks: [],
  };
}

/** Limits how many failures are written to the audit log. */
export function failureBudget(subject: string): Budget {
  return { name: `failures ${subject}`, burst: 100, everyMs: 36 * SECOND_MS };
}

/** When the named budget is full again; undefined if it is full. */
type Spent = (name: string) => number | undefined;

type Verdict =
  | { readonly isAllowed: true; readonly charged: readonly Budget[] }
  | { readonly isAllowed: false; readonly retryAfterMs: number };

export function judgeGuess({ rules }: GuessRules, spent: Spent, nowMs: number): Verdict {
  const charged: Budget[] = [];
  let retryAfterMs = 0;
  for (const { budget, standIns } of rules) {
    const waitMs = waitFor(budget, spent, nowMs);
    if (waitMs === 0) charged.push(budget);
    else if (standIns?.every((standIn) => waitFor(standIn, spent, nowMs) === 0)) {
      charged.push(...standIns);
    } else {
      const standInMs = standIns?.map((standIn) => waitFor(standIn, spent, nowMs)) ?? [];
      const soonestMs = standIns ? Math.min(waitMs, Math.max(...standInMs)) : waitMs;
      retryAfterMs = Math.max(retryAfterMs, soonestMs);
    }
  }
  return retryAfterMs > 0 ? { isAllowed: false, retryAfterMs } : { isAllowed: true, charged };
}

/** When the budget is full again after one more guess. */
export function chargedUntilMs({ everyMs }: Budget, endsAtMs: number | undefined, nowMs: number) {
  return Math.max(endsAtMs ?? 0, nowMs) + everyMs;
}

function waitFor({ name, burst, everyMs }: Budget, spent: Spent, nowMs: number): number {
  const debtMs = Math.max(0, (spent(name) ?? 0) - nowMs);
  return Math.max(0, debtMs - (burst - 1) * everyMs);
}
