import { type SessionRow, Sessions, type UserRow, Users } from "./tables/users.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { newToken, openSession, type Origin, userActor } from "./sessions.ts";
import { countProof, takeBackTry, throttleReads } from "./_throttle.ts";
import { checkSecondFactor, proofSaid, spendSecondFactor } from "./_second_factor.ts";
import type { Given } from "./passkeys/check.ts";
import type { Deps } from "../deps/deps.ts";
import { subjectOf } from "./manage_users.ts";
import { noteFailure } from "./_failed_sign_in.ts";
import { SignIn } from "./sign_in.ts";

/** The second step: a passkey, a code from the app or a recovery code. The session gets a new token. */
export async function signInWithCode(
  deps: Deps,
  { session, user, given, origin }: {
    session: SessionRow;
    user: UserRow;
    given: Given;
    origin: Origin;
  },
): Promise<SignIn> {
  const { retryAfterS, charged } = await countProof(deps, { user, ip: origin.ip });
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  const proof = await checkSecondFactor(deps, { user, given });
  if (!proof) {
    await noteFailure(deps, { email: user.email, user, origin });
    return { outcome: "wrong" };
  }
  const { token, tokenHash } = newToken();
  return await deps.db.write({
    reads: [read(Users, [user.id]), read(Sessions, [session.id]), ...throttleReads(charged)],
    decide: (view): SignIn => {
      const nowMs = deps.clock.nowMs();
      const pending = view.find(Sessions, [session.id]);
      const current = view.find(Users, [user.id]);
      if (!pending || !current || pending.generation !== current.generation) {
        return { outcome: "wrong" };
      }
      const actor = userActor(current, origin);
      if (!spendSecondFactor(view, { deps, user: current, proof, actor })) {
        return { outcome: "wrong" };
      }
      takeBackTry(view, { ...deps, charged });
      view.atOnce("somebody signs in").remove(Sessions, pending);
      openSession(view, { user: current, tokenHash, stage: "open", origin, nowMs });
      const detail = { second_factor: proof.kind, ...proofSaid(proof) };
      const subject = subjectOf(current);
      recordAudit(view, { actor, action: "user.signed_in", subject, detail, nowMs });
      return { outcome: "open", token };
    },
  });
}
