import { hashPassword, isPassword } from "../base/password.ts";
import { hasSignedInFrom } from "../store/audit_reads.ts";
import { type SessionRow, Sessions, type UserRow, Users } from "../store/user_tables.ts";
import { read } from "../store/workspace.ts";
import { recordAudit } from "./_records.ts";
import { newToken, openSession, type Origin, userActor } from "./_sessions.ts";
import {
  countTry,
  proofThrottleOf,
  signInThrottles,
  takeBackTry,
  type Throttle,
  throttleReads,
} from "./_throttle.ts";
import { isGenuine, mustBeGenuine } from "./tampered.ts";
import { checkSecondFactor, spendSecondFactor } from "./_second_factor.ts";
import type { Deps } from "./deps.ts";
import { subjectOf } from "./manage_users.ts";

export type SignIn =
  /** Signed in, or the code is still to come. */
  | { readonly outcome: "open" | "code"; readonly token: string }
  | { readonly outcome: "wrong" }
  | { readonly outcome: "throttled"; readonly retryAfterS: number };

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

/** A user who is not there takes as long as a wrong password. */
let decoy: Promise<string> | undefined;

export async function signIn(
  deps: Deps,
  { password, origin, ...given }: Credentials,
): Promise<SignIn> {
  const email = given.email.trim().toLowerCase().slice(0, 254);
  const { ip } = origin;
  const user = await deps.db.find(Users, [email], "email");
  // Asked for nobody too, so that it takes as long.
  const isKnown = await hasSignedInFrom(deps.db, { userId: user?.id ?? 0, ip });
  const throttles = signInThrottles({ who: email, ip, isKnown });
  const retryAfterS = await countTry(deps, throttles);
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  const hash = user?.passwordHash ?? await (decoy ??= hashPassword(""));
  const isRight = await isPassword(password, hash);
  const isOurs = user !== undefined && await isGenuine(deps, Users, user);
  if (!isRight || !isOurs || !user?.passwordHash || user.disabledAtMs !== null) {
    await noteFailure(deps, { email, user, origin });
    return { outcome: "wrong" };
  }
  return await begin(deps, { user, hash, throttles, origin });
}

async function begin(
  deps: Deps,
  { user: { id }, hash, throttles, origin }: {
    user: UserRow;
    hash: string;
    throttles: readonly Throttle[];
    origin: Origin;
  },
): Promise<SignIn> {
  const { token, tokenHash } = await newToken();
  return await deps.db.write({
    reads: [read(Users, [id]), ...throttleReads(throttles)],
    decide: (view): SignIn => {
      const user = view.find(Users, [id]);
      if (user?.passwordHash !== hash || user.disabledAtMs !== null) return { outcome: "wrong" };
      mustBeGenuine(view, Users, user);
      const nowMs = deps.clock.nowMs();
      takeBackTry(view, throttles);
      const stage = user.totpSealed === null ? "open" : "code";
      openSession(view, { user, tokenHash, stage, origin, nowMs });
      const actor = userActor(user, origin);
      const action = stage === "open" ? "user.signed_in" : "user.password_given";
      recordAudit(view, { actor, action, subject: subjectOf(user), nowMs });
      return { outcome: stage, token };
    },
  });
}

/** The second step: a code of the app, or a recovery code. The session gets another token. */
export async function signInWithCode(
  deps: Deps,
  { session, user, code, origin }: {
    session: SessionRow;
    user: UserRow;
    code: string;
    origin: Origin;
  },
): Promise<SignIn> {
  const throttles = [await proofThrottleOf(deps, { user, ip: origin.ip })];
  const retryAfterS = await countTry(deps, throttles);
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  const proof = await checkSecondFactor(deps, { user, code });
  if (!proof) {
    await noteFailure(deps, { email: user.email, user, origin });
    return { outcome: "wrong" };
  }
  const { token, tokenHash } = await newToken();
  return await deps.db.write({
    reads: [read(Users, [user.id]), read(Sessions, [session.id]), ...throttleReads(throttles)],
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
      takeBackTry(view, throttles);
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
  await deps.db.write({
    reads: [],
    decide: (view) =>
      recordAudit(view, {
        actor: { name: "nobody", ip: origin.ip },
        action: "user.sign_in_failed",
        subject: user ? subjectOf(user) : "user:unknown",
        detail: { email },
        nowMs,
      }),
  });
}
