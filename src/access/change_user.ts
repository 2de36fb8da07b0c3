import type { Deed } from "../audit/rules/deeds.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { hasSecondFactor } from "./rules/second_factors.ts";
import { isGatewayRole, type Role } from "./rules/roles.ts";
import { deciders } from "./reads/users.ts";
import { SetUpLinks, type UserRow, Users } from "./tables/users.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { insertNotice } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf } from "../control/guard.ts";
import { type By, guarded, textIn } from "../control/guarded.ts";
import type { Deps } from "../deps/deps.ts";
import { type Credential, credentialOf, findUser, subjectOf, writeLink } from "./manage_users.ts";

interface UserChange extends By {
  readonly id: number;
}

export const userReset = guarded({
  kind: "user.reset",
  ability: "manage_users",
  makes: "login",
  held: "If you approve it, you get a link for the user, to pass on.",
  sentence: (_: { readonly id: number }, before) =>
    `give ${textIn(before, "email")} a new password and turn the second factor off`,
  run: (deps, wanted, how) => resetUser(deps, { ...wanted, ...how, password: null }),
});

/** For users who lost their password or second factors. Ends all sessions. */
export async function resetUser(
  deps: Deps,
  { password, made, ...order }: UserChange & {
    readonly password: string | null;
    readonly made?: Credential | undefined;
  },
): Promise<UserRow> {
  const { email } = await findUser(deps, String(order.id));
  const { passwordHash = null, linkHash } = made ?? await credentialOf(deps, { email, password });
  return await changeUser(deps, { ...order, action: "user.reset", linkHash }, (user) => ({
    passwordHash,
    totpSealed: null,
    passkeys: null,
    recoveryHashes: [],
    generation: user.generation + 1,
  }));
}

export const userEnable = guarded({
  kind: "user.enable",
  ability: "manage_users",
  sentence: (_: { readonly id: number; readonly isOwn: boolean }, before) =>
    `enable the login ${textIn(before, "email")}`,
  run: (deps, wanted, how) => setUserDisabled(deps, { ...wanted, ...how, isDisabled: false }),
});

interface Disabling extends UserChange {
  readonly isDisabled: boolean;
  /** The account's own users ask, who can't enable what an operator disabled. */
  readonly isOwn?: boolean;
}

export async function setUserDisabled(
  deps: Deps,
  { isDisabled, isOwn = false, ...order }: Disabling,
): Promise<UserRow> {
  const action = isDisabled ? "user.disabled" : "user.enabled";
  const disabledBy = isDisabled && isOwn ? "account" : null;
  return await changeUser(deps, { ...order, action, isStricter: isDisabled }, (user) => {
    const isBarred = user.disabledAtMs !== null && user.disabledBy === null;
    if (isOwn && isBarred && !isDisabled) throw refuse("user_barred", user);
    const isSo = (user.disabledAtMs !== null) === isDisabled;
    if (isSo && (isOwn || user.disabledBy === disabledBy)) return undefined;
    const disabledAtMs = isDisabled ? user.disabledAtMs ?? deps.clock.nowMs() : null;
    return { disabledAtMs, disabledBy, generation: user.generation + 1 };
  });
}

export const userSetRole = guarded({
  kind: "user.set_role",
  ability: "manage_users",
  sentence: ({ role }: { readonly id: number; readonly role: Role }, before) =>
    `make ${textIn(before, "email")} ${role}`,
  run: (deps, wanted, how) => setUserRole(deps, { ...wanted, ...how }),
});

/** Their sessions end, so that none goes on with what the old role allowed. */
export async function setUserRole(
  deps: Deps,
  { role, ...order }: UserChange & { readonly role: Role },
): Promise<UserRow> {
  const others = (await deciders(deps.db, null)).filter(({ id }) => id !== order.id);
  const reads = readAll(Users, others.map(({ id }) => [id]));
  return await changeUser(deps, { ...order, action: "user.role_changed", reads }, (user, view) => {
    const { accountId, email } = user;
    if (isGatewayRole(role) !== (accountId === null)) {
      throw refuse("user_role_misfit", { role });
    }
    if (user.role === role) throw refuse("user_role_same", { email, role });
    const isOther = others.some(({ id }) => {
      const other = view.raw.find(Users, [id]);
      return other && view.isGenuine(Users, other) && isOperator(other);
    });
    if (isOperator(user) && !isOther) throw refuse("user_last_operator", { email });
    return { role, generation: user.generation + 1 };
  });
}

/** One who can sign in. */
function isOperator(user: UserRow): boolean {
  return user.role === "operator" && user.disabledAtMs === null && user.passwordHash !== null;
}

interface ChangeOrder extends UserChange {
  readonly action: Deed;
  readonly isStricter?: boolean;
  readonly linkHash?: string | null | undefined;
  readonly reads?: readonly Read[];
}

async function changeUser(
  deps: Deps,
  { id, action, actor, mandate, isStricter = false, linkHash, reads = [] }: ChangeOrder,
  patchOf: (user: UserRow, view: View) => Partial<UserRow> | undefined,
): Promise<UserRow> {
  const subject = subjectOf({ id });
  const accountId = (await deps.db.find(Users, [id]))?.accountId ?? null;
  const guard = await guardOf(deps, { accountId, mandate });
  return await deps.db.write({
    reads: [read(Users, [id]), read(SetUpLinks, [subject]), ...reads, ...guard.reads],
    decide: (view) => {
      const user = (isStricter ? view.raw : view).find(Users, [id]);
      if (!user) throw refuse("user_unknown", { user: id });
      const patch = patchOf(user, view);
      if (!patch) return user;
      const nowMs = deps.clock.nowMs();
      const [before, after] = [shownOf(user), shownOf({ ...user, ...patch })];
      guard.pass(view, { isLooser: !isStricter, before, after });
      const changed = view.update(Users, user, patch);
      const detail = { email: user.email, generation: changed.generation, before, after };
      recordAudit(view, { actor, action, subject, detail, nowMs });
      if (hasSecondFactor(user) && !hasSecondFactor(changed)) {
        const title = `The second factor of ${user.email} was removed`;
        insertNotice(view, { topic: "security", accountId, title, nowMs });
      }
      if (!linkHash) return changed;
      const replaced = view.raw.find(SetUpLinks, [subject]);
      const link = { slot: subject, tokenHash: linkHash, before: replaced };
      writeLink(view, { ...link, actor, nowMs });
      return changed;
    },
  });
}

/** What others see of a login. */
function shownOf({ email, role, accountId, disabledAtMs, ...factors }: UserRow) {
  const isDisabled = disabledAtMs !== null;
  return { email, role, accountId, isDisabled, hasSecondFactor: hasSecondFactor(factors) };
}
