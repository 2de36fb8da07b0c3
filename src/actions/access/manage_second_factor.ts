import { base32nopad } from "@scure/base";
import { randomBytes } from "../../base/bytes.ts";
import { newTotpSecret, totpStep, totpUri } from "../../base/secrets/totp.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { totpContext, type UserRow, Users } from "../../store/tables/users.ts";
import { read } from "../../store/engine/workspace.ts";
import { insertNotice } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { isFactorRequired } from "./require_second_factor.ts";
import { plainCode } from "./_second_factor.ts";
import { hashOf } from "./sessions.ts";
import type { Actor, Deps } from "../deps.ts";
import { subjectOf } from "./manage_users.ts";

const RECOVERY_CODES = 10;
const ISSUER = "CPG";

export interface NewSecondFactor {
  /** Sent back with the first code. Only this gateway can read or create it. */
  readonly sealed: string;
  readonly secret: string;
  readonly uri: string;
}

/** Nothing is stored until a code proves that the app has the secret. */
export async function offerSecondFactor(
  { vault }: Pick<Deps, "vault">,
  user: UserRow,
): Promise<NewSecondFactor> {
  const secret = newTotpSecret();
  return await offered(await vault.seal(secret, totpContext(user.id)), { secret, user });
}

/** The same secret again after a mistyped code. */
export async function offerAgain(
  { vault }: Pick<Deps, "vault">,
  { sealed, user }: { sealed: string; user: UserRow },
): Promise<NewSecondFactor> {
  return offered(sealed, { secret: await vault.open(sealed, totpContext(user.id)), user });
}

function offered(
  sealed: string,
  { secret, user }: { secret: string; user: UserRow },
): NewSecondFactor {
  return { sealed, secret, uri: totpUri({ secret, user: user.email, issuer: ISSUER }) };
}

/** Switches it on. Returns the recovery codes, the only time they are shown. */
export async function confirmSecondFactor(
  deps: Deps,
  { user, sealed, code, actor }: { user: UserRow; sealed: string; code: string; actor: Actor },
): Promise<string[]> {
  const secret = await deps.vault.open(sealed, totpContext(user.id));
  const nowMs = deps.clock.nowMs();
  const step = totpStep(plainCode(code), { secret, nowMs, after: 0 });
  if (step === undefined) throw refuse("code_wrong");
  const { codes, hashes } = await newRecoveryCodes();
  const patch = { totpSealed: sealed, totpStep: step, recoveryHashes: hashes };
  await changeFactor(deps, { user, action: "user.second_factor_on", actor, patch });
  return codes;
}

export async function removeSecondFactor(
  deps: Deps,
  { user, actor }: { user: UserRow; actor: Actor },
): Promise<void> {
  if (await isFactorRequired(deps, user)) throw refuse("second_factor_required");
  const patch = { totpSealed: null, recoveryHashes: [] };
  await changeFactor(deps, { user, action: "user.second_factor_off", actor, patch });
}

/** The earlier ones stop working. */
export async function renewRecoveryCodes(
  deps: Deps,
  { user, actor }: { user: UserRow; actor: Actor },
): Promise<string[]> {
  const { codes, hashes } = await newRecoveryCodes();
  const patch = { recoveryHashes: hashes };
  await changeFactor(deps, { user, action: "user.recovery_codes_renewed", actor, patch });
  return codes;
}

async function changeFactor(
  deps: Deps,
  { user: { id }, action, actor, patch }: {
    user: UserRow;
    action: string;
    actor: Actor;
    patch: Partial<UserRow>;
  },
): Promise<void> {
  await deps.db.write({
    reads: [read(Users, [id])],
    decide: (view) => {
      const user = view.find(Users, [id]);
      if (!user) throw refuse("user_unknown", { user: id });
      const nowMs = deps.clock.nowMs();
      recordAudit(view, { actor, action, subject: subjectOf(user), nowMs });
      if (patch.totpSealed === null) {
        const { email, accountId } = user;
        const title = `The second factor of ${email} was removed`;
        insertNotice(view, { topic: "security", accountId, title, nowMs });
      }
      view.update(Users, user, patch);
    },
  });
}

/** 50 bits each, behind the same throttle as codes. */
async function newRecoveryCodes(): Promise<{ codes: string[]; hashes: string[] }> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = base32nopad.encode(randomBytes(7)).toLowerCase().slice(0, 10);
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
  return { codes, hashes: await Promise.all(codes.map((code) => hashOf(plainCode(code)))) };
}
