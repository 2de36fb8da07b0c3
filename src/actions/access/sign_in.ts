import { ipSource } from "../../base/net/ip_source.ts";
import { decoyHash, guessPassword } from "../../base/secrets/password.ts";
import type { Budget, GuessRules } from "../../domain/guess_limits.ts";
import { type SessionRow, Sessions, type UserRow, Users } from "../../store/tables/users.ts";
import { read } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { newToken, openSession, type Origin, userActor } from "./sessions.ts";
import {
  countFailure,
  countProof,
  countTry,
  failureReads,
  isKnownAddress,
  secondsToWait,
  signInRulesOf,
  takeBackTry,
  throttleReads,
} from "./_throttle.ts";
import { isNewestUser } from "../integrity/newest.ts";
import { isGenuine, mustBeGenuine } from "../books/tampered.ts";
import { checkSecondFactor, spendSecondFactor } from "./_second_factor.ts";
import type { Deps } from "../deps.ts";
import { subjectOf } from "./manage_users.ts";

export type SignIn =
  /** Signed in, or the code is still missing. */
  | { readonly outcome: "open" | "code"; readonly token: string }
  | { readonly outcome: "wrong" }
  | { readonly outcome: "throttled"; readonly retryAfterS: number };

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

/** An unknown user takes as long as a wrong password. */
const DECOY = decoyHash();

export async function signIn(
  deps: Deps,
  { password, origin, ...given }: Credentials,
): Promise<SignIn> {
  const email = given.email.trim().toLowerCase().slice(0, 254);
  const { ip } = origin;
  const user = await deps.db.find(Users, [email], "email");
  // Also looked up for unknown users, so that it takes as long.
  const isKnown = await isKnownAddress(deps, { userId: user?.id ?? 0, ip });
  const rules = signInRulesOf({ who: email, ip, isKnown });
  const retryAfterS = await secondsToWait(deps, rules);
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  const hash = user?.passwordHash ?? DECOY;
  const guess = await look(deps, { rules, email, ip, isKnown, password, hash });
  if (guess.retryAfterS !== undefined) return { outcome: "throttled", ...guess };
  const isOurs = user !== undefined && await isGenuine(deps, Users, user) &&
    (!guess.isRight || await isNewestUser(deps, user));
  if (!guess.isRight || !isOurs || !user?.passwordHash || user.disabledAtMs !== null) {
    await noteFailure(deps, { email, user, origin });
    return { outcome: "wrong" };
  }
  return await begin(deps, { user, hash, charged: guess.charged, origin });
}

interface GuessGiven {
  readonly rules: GuessRules;
  readonly email: string;
  readonly ip: string;
  readonly isKnown: boolean;
  readonly password: string;
  readonly hash: string;
}

type Looked =
  | { readonly isRight: boolean; readonly charged: readonly Budget[]; readonly retryAfterS?: never }
  | { readonly retryAfterS: number };

/** Counted when its turn comes: whoever is turned away before has not guessed. */
function look(
  deps: Deps,
  { rules, email, ip, isKnown, password, hash }: GuessGiven,
): Promise<Looked> {
  const asker = isKnown
    ? { isKnown } as const
    : { isKnown, marks: [`from ${ipSource(ip, 48)}`, `at ${email}`] } as const;
  return guessPassword(asker, async (isPassword): Promise<Looked> => {
    const counted = await countTry(deps, rules);
    if (counted.retryAfterS !== undefined) return counted;
    return { isRight: await isPassword(password, hash), charged: counted.charged };
  });
}

async function begin(
  deps: Deps,
  { user: { id }, hash, charged, origin }: {
    user: UserRow;
    hash: string;
    charged: readonly Budget[];
    origin: Origin;
  },
): Promise<SignIn> {
  const { token, tokenHash } = await newToken();
  return await deps.db.write({
    reads: [read(Users, [id]), ...throttleReads(charged)],
    decide: (view): SignIn => {
      const user = view.find(Users, [id]);
      if (user?.passwordHash !== hash || user.disabledAtMs !== null) return { outcome: "wrong" };
      mustBeGenuine(view, Users, user);
      const nowMs = deps.clock.nowMs();
      takeBackTry(view, { ...deps, charged });
      const stage = user.totpSealed === null ? "open" : "code";
      openSession(view, { user, tokenHash, stage, origin, nowMs });
      const actor = userActor(user, origin);
      const action = stage === "open" ? "user.signed_in" : "user.password_given";
      recordAudit(view, { actor, action, subject: subjectOf(user), nowMs });
      return { outcome: stage, token };
    },
  });
}

/** The second step: a code from the app or a recovery code. The session gets a new token. */
export async function signInWithCode(
  deps: Deps,
  { session, user, code, origin }: {
    session: SessionRow;
    user: UserRow;
    code: string;
    origin: Origin;
  },
): Promise<SignIn> {
  const { retryAfterS, charged } = await countProof(deps, { user, ip: origin.ip });
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  const proof = await checkSecondFactor(deps, { user, code });
  if (!proof) {
    await noteFailure(deps, { email: user.email, user, origin });
    return { outcome: "wrong" };
  }
  const { token, tokenHash } = await newToken();
  return await deps.db.write({
    reads: [read(Users, [user.id]), read(Sessions, [session.id]), ...throttleReads(charged)],
    decide: (view): SignIn => {
      const nowMs = deps.clock.nowMs();
      const pending = view.find(Sessions, [session.id]);
      const current = view.find(Users, [user.id]);
      if (!pending || !current || pending.generation !== current.generation) {
        return { outcome: "wrong" };
      }
      mustBeGenuine(view, Users, current);
      mustBeGenuine(view, Sessions, pending);
      if (!spendSecondFactor(view, current, proof)) return { outcome: "wrong" };
      takeBackTry(view, { ...deps, charged });
      view.remove(Sessions, pending);
      openSession(view, { user: current, tokenHash, stage: "open", origin, nowMs });
      const actor = userActor(current, origin);
      const detail = { second_factor: proof.kind };
      const subject = subjectOf(current);
      recordAudit(view, { actor, action: "user.signed_in", subject, detail, nowMs });
      return { outcome: "open", token };
    },
  });
}

async function noteFailure(
  deps: Deps,
  { email, user, origin }: { email: string; user: UserRow | undefined; origin: Origin },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const subject = user ? subjectOf(user) : "user:unknown";
  await deps.db.write({
    reads: failureReads(subject),
    decide: (view) => {
      const { isRecorded, unrecorded } = countFailure(view, { subject, nowMs });
      if (!isRecorded) return;
      recordAudit(view, {
        actor: { name: "nobody", ip: origin.ip },
        action: "user.sign_in_failed",
        subject,
        detail: { email, ...unrecorded === 0 ? {} : { not_recorded_before: unrecorded } },
        nowMs,
      });
    },
  });
}
