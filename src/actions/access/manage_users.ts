import { base32nopad } from "@scure/base";
import { hashPassword } from "../../base/secrets/password.ts";
import { randomBytes } from "../../base/bytes.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { FIRST_OPERATOR, SetUpLinks, Users } from "../../store/tables/users.ts";
import type { UserRow } from "../../store/tables/users.ts";
import { isGatewayRole, type Role } from "../../domain/access/roles.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps.ts";
import { findAccount } from "../books/find.ts";

interface NewUser {
  readonly email: string;
  readonly role: Role;
  readonly accountId: number | null;
  readonly actor: Actor;
}

const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 256;

/** With a password that is shown once; without one, a set-up link is needed. */
export async function createUser(
  deps: Deps,
  { actor, ...order }: NewUser,
  password: string | null,
): Promise<UserRow> {
  if (isGatewayRole(order.role) !== (order.accountId === null)) {
    throw refuse("user_role_misfit", order);
  }
  if (order.accountId !== null) await findAccount(deps, order.accountId);
  const email = emailOf(order.email);
  const passwordHash = password === null ? null : await hashPassword(password);
  return await deps.db.write({
    reads: [read(Users, [email], "email"), read(SetUpLinks, [FIRST_OPERATOR])],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const user = insertUser(view, { ...order, email, passwordHash, nowMs });
      const detail = { after: { email, role: user.role, accountId: user.accountId } };
      recordAudit(view, { actor, action: "user.created", subject: subjectOf(user), detail, nowMs });
      return user;
    },
  });
}

/** The unit must have read the email and the first operator's link. */
export function insertUser(
  view: View,
  user: Pick<UserRow, "email" | "role" | "accountId" | "passwordHash"> & { nowMs: number },
): UserRow {
  const { email, role, accountId, passwordHash, nowMs } = user;
  if (view.find(Users, [email], "email")) throw refuse("user_taken", { email });
  const first = view.find(SetUpLinks, [FIRST_OPERATOR]);
  if (first && role === "operator") view.remove(SetUpLinks, first);
  return view.insert(Users, {
    email,
    role,
    accountId,
    passwordHash,
    totpSealed: null,
    totpStep: 0,
    recoveryHashes: [],
    generation: 1,
    createdAtMs: nowMs,
    disabledAtMs: null,
    disabledBy: null,
  });
}

/** For users who lost their password or second factor. Ends all sessions. */
export async function resetUser(
  deps: Deps,
  { id, password, actor }: { id: number; password: string | null; actor: Actor },
): Promise<UserRow> {
  const passwordHash = password === null ? null : await hashPassword(password);
  return await changeUser(deps, { id, action: "user.reset", actor }, (user) => ({
    passwordHash,
    totpSealed: null,
    recoveryHashes: [],
    generation: user.generation + 1,
  }));
}

interface Disabling {
  readonly id: number;
  readonly isDisabled: boolean;
  /** The account's own users ask, who can't enable what an operator disabled. */
  readonly isOwn?: boolean;
  readonly actor: Actor;
}

export async function setUserDisabled(
  deps: Deps,
  { id, isDisabled, isOwn = false, actor }: Disabling,
): Promise<UserRow> {
  const action = isDisabled ? "user.disabled" : "user.enabled";
  const disabledBy = isDisabled && isOwn ? "account" : null;
  return await changeUser(deps, { id, action, actor }, (user) => {
    const isBarred = user.disabledAtMs !== null && user.disabledBy === null;
    if (isOwn && isBarred && !isDisabled) throw refuse("user_barred", user);
    const isSo = (user.disabledAtMs !== null) === isDisabled;
    if (isSo && (isOwn || user.disabledBy === disabledBy)) return undefined;
    const disabledAtMs = isDisabled ? user.disabledAtMs ?? deps.clock.nowMs() : null;
    return { disabledAtMs, disabledBy, generation: user.generation + 1 };
  });
}

async function changeUser(
  deps: Deps,
  { id, action, actor }: { id: number; action: string; actor: Actor },
  patchOf: (user: UserRow) => Partial<UserRow> | undefined,
): Promise<UserRow> {
  return await deps.db.write({
    reads: [read(Users, [id])],
    decide: (view) => {
      const user = view.find(Users, [id]);
      if (!user) throw refuse("user_unknown", { user: id });
      const patch = patchOf(user);
      if (!patch) return user;
      const nowMs = deps.clock.nowMs();
      const changed = view.update(Users, user, patch);
      const detail = { email: user.email, generation: changed.generation };
      recordAudit(view, { actor, action, subject: subjectOf(user), detail, nowMs });
      return changed;
    },
  });
}

export async function findUser(deps: Deps, idOrEmail: string): Promise<UserRow> {
  const user = /^\d{1,15}$/.test(idOrEmail)
    ? await deps.db.find(Users, [Number(idOrEmail)])
    : await deps.db.find(Users, [idOrEmail.trim().toLowerCase()], "email");
  if (!user) throw refuse("user_unknown", { user: idOrEmail });
  return user;
}

export function emailOf(text: string): string {
  const email = text.trim().toLowerCase();
  if (/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) && email.length <= 254) return email;
  throw refuse("email_wrong", { text });
}

/** Only the length matters; the rest is the user's business. */
export function checkNewPassword(password: string): void {
  const { length } = [...password];
  if (length < PASSWORD_CHARACTERS_MIN) {
    throw refuse("password_too_short", { min: PASSWORD_CHARACTERS_MIN });
  }
  if (length > PASSWORD_CHARACTERS_MAX) {
    throw refuse("password_too_long", { max: PASSWORD_CHARACTERS_MAX });
  }
}

/** 100 bits, easy to read aloud. */
export function newPassword(): string {
  const text = base32nopad.encode(randomBytes(15)).toLowerCase().slice(0, 20);
  return text.match(/.{5}/g)!.join("-");
}

export function subjectOf({ id }: Pick<UserRow, "id">): string {
  return `user:${id}`;
}
