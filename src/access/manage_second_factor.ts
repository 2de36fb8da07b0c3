import { newTotpSecret, totpStep, totpUri } from "../base/secrets/totp.ts";
import { passkeysOf } from "./rules/second_factors.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { totpContext, type UserRow, Users } from "./tables/users.ts";
import { newRecoveryCodes, plainCode } from "./_second_factor.ts";
import { changeFactors, FACTOR_MORE, removeFactor } from "./change_factors.ts";
import { removePasskey } from "./manage_passkeys.ts";
import { type By, guarded, textIn } from "../control/guarded.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const ISSUER = "CPG";
const APP = "authenticator app";

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

/** Switches it on. Returns recovery codes, the only time they are shown; none if there are some. */
export async function confirmSecondFactor(
  deps: Deps,
  { user, sealed, code, actor }: { user: UserRow; sealed: string; code: string; actor: Actor },
): Promise<string[]> {
  const secret = await deps.vault.open(sealed, totpContext(user.id));
  const nowMs = deps.clock.nowMs();
  const step = totpStep(plainCode(code), { secret, nowMs, after: 0 });
  if (step === undefined) throw refuse("code_wrong");
  const { codes, hashes } = newRecoveryCodes();
  const patch = { totpSealed: sealed, totpStep: step };
  const { before } = await changeFactors(deps, {
    user,
    action: "user.second_factor_on",
    what: APP,
    actor,
    atOnce: FACTOR_MORE,
    patchOf: (current) => hasCodes(current) ? patch : { ...patch, recoveryHashes: hashes },
  });
  return hasCodes(before) ? [] : codes;
}

/** Those that came with a passkey go on working. */
function hasCodes(user: UserRow): boolean {
  return passkeysOf(user).length > 0;
}

interface FactorOff {
  readonly userId: number;
  /** Null: the authenticator app. */
  readonly passkeyId: string | null;
}

export const secondFactorOff = guarded({
  kind: "second_factor.off",
  ability: "manage_users",
  sentence: ({ passkeyId }: FactorOff, before) =>
    passkeyId === null
      ? `turn off the authenticator app of ${textIn(before, "email")}`
      : `remove a passkey of ${textIn(before, "email")}`,
  run: async (deps, { userId, passkeyId: id }, how) => {
    const user = await deps.db.get(Users, [userId]);
    if (id === null) await removeSecondFactor(deps, { user, ...how });
    else await removePasskey(deps, { user, id, ...how });
  },
});

export async function removeSecondFactor(
  deps: Deps,
  { user, actor, mandate }: By & { readonly user: UserRow },
): Promise<void> {
  const without = () => ({ totpSealed: null });
  await removeFactor(deps, { user, what: APP, actor, mandate, without });
}

/** The earlier ones stop working. */
export async function renewRecoveryCodes(
  deps: Deps,
  { user, actor }: { user: UserRow; actor: Actor },
): Promise<string[]> {
  const { codes, hashes } = newRecoveryCodes();
  await changeFactors(deps, {
    user,
    action: "user.recovery_codes_renewed",
    what: "recovery codes",
    actor,
    atOnce: "it takes the second factor itself",
    patchOf: () => ({ recoveryHashes: hashes }),
  });
  return codes;
}
