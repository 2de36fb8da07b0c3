import { KNOWN } from "../base/secrets/password.ts";
import { type SessionRow, Sessions, type UserRow, Users } from "./tables/users.ts";
import { liveSessions } from "./reads/users.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { hasSecondFactor } from "./rules/second_factors.ts";
import { isUnused } from "./passkeys/challenges.ts";
import { checkSecondFactor, type Proof, proofSaid, spendSecondFactor } from "./_second_factor.ts";
import type { Given } from "./passkeys/check.ts";
import { hashOf, type Origin, SESSION_IDLE_MS, userActor } from "./sessions.ts";
import { type Counted, countProof, takeBackTry, throttleReads } from "./_throttle.ts";
import { isNewestUser } from "../integrity/newest.ts";
import { isGenuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { subjectOf } from "./manage_users.ts";

/** How long a password, code or passkey counts for sensitive actions. */
const PROVEN_MS = 10 * 60_000;
/** How often to note that a session is in use. */
const SEEN_EVERY_MS = 60_000;
const SESSIONS_LISTED_MAX = 100;

export interface LiveSession {
  readonly session: SessionRow;
  readonly user: UserRow;
}

/** Undefined if there is no such session, it is over, or its user may not sign in any more. */
export async function findSession(deps: Deps, token: string): Promise<LiveSession | undefined> {
  const session = await deps.db.find(Sessions, [hashOf(token)], "token");
  const nowMs = deps.clock.nowMs();
  if (!session || session.endsAtMs <= nowMs) return undefined;
  if (nowMs - session.seenAtMs >= SESSION_IDLE_MS) return undefined;
  const user = await deps.db.find(Users, [session.userId]);
  if (!user || user.disabledAtMs !== null || user.generation !== session.generation) {
    return undefined;
  }
  const isOurs = await isGenuine(deps, Sessions, session) && await isNewestUser(deps, user);
  if (!isOurs) return undefined;
  if (nowMs - session.seenAtMs >= SEEN_EVERY_MS) await noteSeen(deps, session);
  return { session, user };
}

async function noteSeen({ db, clock }: Deps, { id }: SessionRow): Promise<void> {
  await db.write({
    reads: [read(Sessions, [id])],
    decide: (view) => {
      const session = view.find(Sessions, [id]);
      if (!session) return;
      const noted = view.atOnce("only when it was used last");
      noted.update(Sessions, session, { seenAtMs: clock.nowMs() });
    },
  });
}

/** Those that can still be used, newest first. */
export function sessionsOf({ db, clock }: Deps, user: UserRow): Promise<SessionRow[]> {
  const nowMs = clock.nowMs();
  return liveSessions(db, { user, nowMs, idleMs: SESSION_IDLE_MS, limit: SESSIONS_LISTED_MAX });
}

export function isProven(session: SessionRow, nowMs: number): boolean {
  return nowMs - session.provenAtMs < PROVEN_MS;
}

/** Asks for password, code or passkey again. Returns the seconds to wait, or whether it was right. */
export async function proveAgain(
  deps: Deps,
  { session, user, given, origin }: LiveSession & { given: Given; origin: Origin },
): Promise<{ isRight: boolean; retryAfterS?: number }> {
  const { retryAfterS, charged, proof } = await lookAtProof(deps, { user, given, ip: origin.ip });
  if (retryAfterS !== undefined) return { isRight: false, retryAfterS };
  if (!proof) return { isRight: false };
  const isRight = await deps.db.write({
    reads: [read(Sessions, [session.id]), read(Users, [user.id]), ...throttleReads(charged)],
    decide: (view) => {
      const [live, current] = [view.find(Sessions, [session.id]), view.find(Users, [user.id])];
      if (!live || current?.generation !== live.generation) return false;
      const actor = userActor(user, origin);
      const used = usedIn(live, proof);
      const spending = { deps, user: current, actor };
      if (!used || proof !== "password" && !spendSecondFactor(view, { ...spending, proof })) {
        return false;
      }
      takeBackTry(view, { ...deps, charged });
      const nowMs = deps.clock.nowMs();
      const detail = proof === "password" ? { by: proof } : { by: proof.kind, ...proofSaid(proof) };
      recordAudit(view, { actor, action: "user.proven", subject: subjectOf(user), detail, nowMs });
      const proven = view.atOnce("somebody shows who they are");
      proven.update(Sessions, live, { provenAtMs: nowMs, ...used });
      return true;
    },
  });
  return { isRight };
}

/** Undefined if the passkey's challenge was answered before. */
function usedIn(
  session: SessionRow,
  proof: Proof | "password",
): Pick<SessionRow, "challengeUsedMs"> | undefined {
  const { challengeUsedMs } = session;
  if (proof === "password" || proof.kind !== "passkey") return { challengeUsedMs };
  const { challengeMs } = proof;
  return isUnused(session, challengeMs) ? { challengeUsedMs: challengeMs } : undefined;
}

type LookedAt = Counted & { readonly proof?: Proof | "password" | undefined };

/** With a second factor that counts, without one the password. */
export async function lookAtProof(
  deps: Deps,
  { user, given, ip }: { user: UserRow; given: Given; ip: string },
): Promise<LookedAt> {
  if (hasSecondFactor(user)) {
    const counted = await countProof(deps, { user, ip });
    if (counted.retryAfterS !== undefined) return counted;
    return { ...counted, proof: await checkSecondFactor(deps, { user, given }) };
  }
  return await deps.passwords.guess(KNOWN, async (isPassword): Promise<LookedAt> => {
    const counted = await countProof(deps, { user, ip });
    if (counted.retryAfterS !== undefined || user.passwordHash === null) return counted;
    if (typeof given !== "string") return counted;
    const isRight = await isPassword(given, user.passwordHash);
    return { ...counted, proof: isRight ? "password" : undefined };
  });
}

/** Sign-out, here or of a session elsewhere. False if it isn't the user's. */
export async function endSession(
  deps: Deps,
  { id, userId, actor }: { id: number; userId: number; actor: Actor },
): Promise<boolean> {
  return await deps.db.write({
    reads: [read(Sessions, [id])],
    decide: (view) => {
      const session = view.raw.find(Sessions, [id]);
      if (session?.userId !== userId) return false;
      view.atOnce("one session less is stricter").remove(Sessions, session);
      const { ip, createdAtMs: signedInAtMs } = session;
      const detail = { session: id, before: { ip, signedInAtMs }, after: null };
      const nowMs = deps.clock.nowMs();
      const subject = subjectOf({ id: userId });
      recordAudit(view, { actor, action: "user.session_ended", subject, detail, nowMs });
      return true;
    },
  });
}
