import { base32nopad } from "@scure/base";
import { randomBytes } from "../base/bytes.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { loginsWith } from "./reads/users.ts";
import { FIRST_OPERATOR, SetUpLinks, Users } from "./tables/users.ts";
import type { SetUpLinkRow, UserRow } from "./tables/users.ts";
import { isGatewayRole, type Role } from "./rules/roles.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { findAccount } from "../books/find.ts";

/** How somebody will sign in: shown to whoever asked, and stored as hashes. */
export interface Credential {
  readonly passwordHash?: string | null;
  readonly linkHash?: string | null;
}

interface NewUser {
  readonly email: string;
  readonly role: Role;
  readonly accountId: number | null;
}

interface Asked extends NewUser, By {
  /** Instead of the password. */
  readonly made?: Credential | undefined;
}

export const userCreate = guarded({
  kind: "user.create",
  ability: "manage_users",
  makes: "login",
  held: "If you approve it, you get a link for the new user, to pass on.",
  sentence: ({ email, role, accountId }: NewUser) =>
    `create the login ${email} as ${role}${accountId === null ? "" : ` of account ${accountId}`}`,
  run: (deps, wanted, how) => createUser(deps, { ...wanted, ...how }, null),
});

const LINK_MS = 24 * 3_600_000;
const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 256;

/** With a password that is shown once; without one, a set-up link is needed. */
export async function createUser(
  deps: Deps,
  { actor, mandate, made, ...order }: Asked,
  password: string | null,
): Promise<UserRow> {
  const { role, accountId } = order;
  if (isGatewayRole(role) !== (accountId === null)) throw refuse("user_role_misfit", order);
  if (accountId !== null) await findAccount(deps, accountId);
  const email = emailOf(order.email);
  if (await seesAllLogins(deps, actor)) await mustBeUnknown(deps, email);
  const { passwordHash = null, linkHash } = made ?? await credentialOf(deps, { email, password });
  const guard = await guardOf(deps, { accountId, mandate });
  return await deps.db.write({
    reads: [...loginReads({ email, accountId }), ...guard.reads],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const after = { email, role, accountId };
      mustBeFree(view, after);
      guard.pass(view, { isLooser: true, before: null, after });
      const user = insertUser(view, { ...after, passwordHash, nowMs });
      recordAudit(view, {
        ...{ actor, action: "user.created", subject: subjectOf(user), nowMs },
        detail: { before: null, after },
      });
      if (linkHash) writeLink(view, { slot: subjectOf(user), tokenHash: linkHash, actor, nowMs });
      return user;
    },
  });
}

interface NewPassword {
  readonly email: string;
  readonly password: string | null;
}

export async function credentialOf(
  deps: Pick<Deps, "db" | "passwords">,
  { email, password }: NewPassword,
): Promise<Credential> {
  return { passwordHash: password === null ? null : await hashFor(deps, { email, password }) };
}

/** All logins with an email share a salt, so nobody learns from the time of a sign-in how many. */
export async function hashFor(
  { db, passwords }: Pick<Deps, "db" | "passwords">,
  { email, password }: NewPassword & { readonly password: string },
): Promise<string> {
  const logins = await loginsWith(db, email);
  const like = logins.find(({ passwordHash }) => passwordHash !== null)?.passwordHash;
  return await passwords.hash(password, { like: like ?? undefined });
}

/** An account's own people don't learn who has a login elsewhere. */
async function seesAllLogins({ db }: Pick<Deps, "db">, actor: Actor): Promise<boolean> {
  const name = typeof actor === "string" ? actor : actor.name;
  const [, id] = /^user:(\d+)$/.exec(name) ?? [];
  if (id === undefined) return true;
  const user = await db.find(Users, [Number(id)]);
  return user !== undefined && isGatewayRole(user.role);
}

export async function mustBeUnknown({ db }: Pick<Deps, "db">, email: string): Promise<void> {
  if ((await loginsWith(db, email)).length > 0) throw refuse("user_taken", { email });
}

type Login = Pick<UserRow, "email" | "accountId">;

/** What the unit that inserts a login has to read. */
export function loginReads({ email, accountId }: Login): Read[] {
  const same = accountId === null ? [] : [read(Users, [email, accountId], "email")];
  return [...same, read(SetUpLinks, [FIRST_OPERATOR])];
}

function mustBeFree(view: View, { email, accountId }: Login): void {
  if (accountId === null) return;
  if (view.find(Users, [email, accountId], "email")) throw refuse("user_taken", { email });
}

interface NewLink {
  readonly slot: string;
  readonly tokenHash: string;
  readonly before?: SetUpLinkRow | undefined;
  readonly actor: Actor;
  readonly nowMs: number;
}

/** Replaces the earlier link. */
export function writeLink(
  view: View,
  { slot, tokenHash, before, actor, nowMs }: NewLink,
): void {
  const subject = slot === FIRST_OPERATOR ? "user:first" : slot;
  recordAudit(view, { actor, action: "user.link_made", subject, nowMs });
  if (before) view.remove(SetUpLinks, before);
  view.insertKeyed(SetUpLinks, { slot, tokenHash, endsAtMs: nowMs + LINK_MS });
}

/** The unit must have made the `loginReads`. */
export function insertUser(
  view: View,
  user: Pick<UserRow, "email" | "role" | "accountId" | "passwordHash"> & { nowMs: number },
): UserRow {
  const { email, role, accountId, passwordHash, nowMs } = user;
  mustBeFree(view, user);
  const first = view.raw.find(SetUpLinks, [FIRST_OPERATOR]);
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
    passkeys: null,
  });
}

export async function findUser(deps: Deps, idOrEmail: string): Promise<UserRow> {
  const isId = /^\d{1,15}$/.test(idOrEmail);
  const found = isId
    ? [await deps.db.find(Users, [Number(idOrEmail)])]
    : await loginsWith(deps.db, idOrEmail.trim().toLowerCase());
  const [user] = found;
  if (!user) throw refuse("user_unknown", { user: idOrEmail });
  if (found.length === 1) return user;
  const ids = found.flatMap((one) => one?.id ?? []);
  throw refuse("user_ambiguous", { email: user.email, ids });
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
