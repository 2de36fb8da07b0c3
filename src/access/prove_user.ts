import { TooManyTries } from "../domain/refusal.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { hasSecondFactor } from "./rules/second_factors.ts";
import { type UserRow, Users } from "./tables/users.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { isNewestUser } from "../integrity/newest.ts";
import type { Deps } from "../deps/deps.ts";
import { proofSaid, spendSecondFactor } from "./_second_factor.ts";
import { takeBackTry, throttleReads } from "./_throttle.ts";
import { lookAtProof } from "./manage_sessions.ts";
import { subjectOf } from "./manage_users.ts";

const COMMAND_LINE_IP = "127.0.0.1";

/** On the command line: who somebody is, by the code of their second factor, or their password. */
export async function proveUser(
  deps: Deps,
  { user, secret }: { user: UserRow; secret: string },
): Promise<void> {
  const looked = await lookAtProof(deps, { user, given: secret, ip: COMMAND_LINE_IP });
  const { retryAfterS, charged = [], proof } = looked;
  if (retryAfterS !== undefined) throw new TooManyTries(retryAfterS);
  const isOurs = user.disabledAtMs === null && await isNewestUser(deps, user);
  if (!proof || !isOurs) throw wrong(user);
  const isSpent = await deps.db.write({
    reads: [read(Users, [user.id]), ...throttleReads(charged)],
    decide: (view) => {
      const current = view.get(Users, [user.id]);
      if (current.generation !== user.generation || current.disabledAtMs !== null) return false;
      const actor = subjectOf(user);
      const spending = { deps, user: current, actor };
      if (proof !== "password" && !spendSecondFactor(view, { ...spending, proof })) return false;
      takeBackTry(view, { ...deps, charged });
      const { nowMs } = view;
      const said = proof === "password" ? { by: proof } : { by: proof.kind, ...proofSaid(proof) };
      const detail = { ...said, on: "command line" };
      recordAudit(view, { actor, action: "user.proven", subject: actor, detail, nowMs });
      return true;
    },
  });
  if (!isSpent) throw wrong(user);
}

function wrong(user: UserRow): Error {
  const { email } = user;
  const isPasskeyOnly = user.totpSealed === null && hasSecondFactor(user);
  return isPasskeyOnly ? refuse("proof_needs_code", { email }) : refuse("proof_wrong", { email });
}
