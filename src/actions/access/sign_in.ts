import { ipSource } from "../../base/net/ip_source.ts";
import { hasSecondFactor } from "../../domain/access/second_factors.ts";
import type { Budget, GuessRules } from "../../domain/guess_limits.ts";
import { type UserRow, Users } from "../../store/tables/users.ts";
import { read } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { newToken, openSession, type Origin, userActor } from "./sessions.ts";
import {
  countTry,
  isKnownAddress,
  secondsToWait,
  signInRulesOf,
  takeBackTry,
  throttleReads,
} from "./_throttle.ts";
import { isNewestUser } from "../integrity/newest.ts";
import { isGenuine, mustBeGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { subjectOf } from "./manage_users.ts";
import { noteFailure } from "./_failed_sign_in.ts";

export type SignIn =
  /** Signed in, or the second factor is still missing. */
  | { readonly outcome: "open" | "code"; readonly token: string }
  | { readonly outcome: "wrong" }
  | { readonly outcome: "throttled"; readonly retryAfterS: number };

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

export async function signIn(deps: Deps, credentials: Credentials): Promise<SignIn> {
  const { password, origin, origin: { ip } } = credentials;
  const email = credentials.email.trim().toLowerCase().slice(0, 254);
  const user = await deps.db.find(Users, [email], "email");
  // Also looked up for unknown users, so that it takes as long.
  const isKnown = await isKnownAddress(deps, { userId: user?.id ?? 0, ip });
  const rules = signInRulesOf({ who: email, ip, isKnown });
  const retryAfterS = await secondsToWait(deps, rules);
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  // An unknown user takes as long as a wrong password.
  const hash = user?.passwordHash ?? deps.passwords.decoyHash;
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

/** A try counts when its turn comes. One that was turned away before that was no guess. */
function look(
  deps: Deps,
  { rules, email, ip, isKnown, password, hash }: GuessGiven,
): Promise<Looked> {
  const asker = isKnown
    ? { isKnown } as const
    : { isKnown, marks: [`from ${ipSource(ip, 48)}`, `at ${email}`] } as const;
  return deps.passwords.guess(asker, async (isPassword): Promise<Looked> => {
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
  const { token, tokenHash } = newToken();
  return await deps.db.write({
    reads: [read(Users, [id]), ...throttleReads(charged)],
    decide: (view): SignIn => {
      const user = view.find(Users, [id]);
      if (user?.passwordHash !== hash || user.disabledAtMs !== null) return { outcome: "wrong" };
      mustBeGenuine(view, Users, user);
      const nowMs = deps.clock.nowMs();
      takeBackTry(view, { ...deps, charged });
      const stage = hasSecondFactor(user) ? "code" : "open";
      openSession(view, { user, tokenHash, stage, origin, nowMs });
      const actor = userActor(user, origin);
      const action = stage === "open" ? "user.signed_in" : "user.password_given";
      recordAudit(view, { actor, action, subject: subjectOf(user), nowMs });
      return { outcome: stage, token };
    },
  });
}
