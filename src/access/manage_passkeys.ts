import type { RelyingParty } from "./rules/relying_party.ts";
import { hasSecondFactor, PASSKEYS_MAX, passkeysOf } from "./rules/second_factors.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type SessionRow, Sessions, type UserRow } from "./tables/users.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { isUnused } from "./passkeys/challenges.ts";
import { checkCreated } from "./passkeys/check.ts";
import type { By } from "../control/guarded.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { newRecoveryCodes } from "./_second_factor.ts";
import { changeFactors, FACTOR_MORE, removeFactor } from "./change_factors.ts";

interface NewPasskey {
  readonly user: UserRow;
  readonly session: SessionRow;
  readonly site: RelyingParty | undefined;
  readonly name: string;
  /** What the browser made. */
  readonly answer: string;
  readonly actor: Actor;
}

/** Returns recovery codes, the only time they are shown; none if there are some. */
export async function addPasskey(
  deps: Deps,
  { user, session, site, name, answer, actor }: NewPasskey,
): Promise<string[]> {
  const made = await checkCreated(deps, { answer, session, site });
  if (!made || !site) throw refuse("passkey_wrong");
  const { challengeMs, ...key } = made;
  const { codes, hashes } = newRecoveryCodes();
  const { before } = await changeFactors(deps, {
    user,
    action: "user.second_factor_on",
    what: `passkey "${name}"`,
    actor,
    atOnce: FACTOR_MORE,
    reads: [read(Sessions, [session.id])],
    patchOf: (current, view) => {
      spendChallenge(view, { sessionId: session.id, challengeMs });
      const others = passkeysOf(current);
      if (others.length >= PASSKEYS_MAX) throw refuse("passkeys_too_many", { max: PASSKEYS_MAX });
      if (others.some(({ id }) => id === key.id)) throw refuse("passkey_known");
      const times = { createdAtMs: view.nowMs, usedAtMs: null };
      const passkeys = [...others, { ...key, name, rpId: site.id, ...times }];
      return hasSecondFactor(current) ? { passkeys } : { passkeys, recoveryHashes: hashes };
    },
  });
  return hasSecondFactor(before) ? [] : codes;
}

function spendChallenge(
  view: View,
  { sessionId, challengeMs }: { sessionId: number; challengeMs: number },
): void {
  const live = view.find(Sessions, [sessionId]);
  if (!live || !isUnused(live, challengeMs)) throw refuse("passkey_wrong");
  view.atOnce("a challenge is used up").update(Sessions, live, { challengeUsedMs: challengeMs });
}

export async function removePasskey(
  deps: Deps,
  { user, id, actor, mandate }: By & { readonly user: UserRow; readonly id: string },
): Promise<void> {
  const passkey = passkeysOf(user).find((one) => one.id === id);
  if (!passkey) throw refuse("passkey_unknown");
  await removeFactor(deps, {
    user,
    what: `passkey "${passkey.name}"`,
    actor,
    mandate,
    without: (current) => {
      const left = passkeysOf(current).filter((one) => one.id !== id);
      return { passkeys: left.length === 0 ? null : left };
    },
  });
}
