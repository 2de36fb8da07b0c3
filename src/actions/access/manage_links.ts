import { hashPassword } from "../../base/secrets/password.ts";
import { type ActionRefused, refuse } from "../../domain/refusals/refuse.ts";
import { FIRST_OPERATOR, SetUpLinks, Users } from "../../store/tables/users.ts";
import type { SetUpLinkRow, UserRow } from "../../store/tables/users.ts";
import { hasUsers } from "../../store/reads/pages/users.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { hashOf, newToken, openSession, type Origin, userActor } from "./sessions.ts";
import { isGenuine, mustBeGenuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps.ts";
import { checkNewPassword, emailOf, insertUser, subjectOf } from "./manage_users.ts";

const LINK_MS = 24 * 3_600_000;

/** Printed at the start. Undefined: somebody can sign in already. */
export async function firstOperatorLink(deps: Deps): Promise<string | undefined> {
  return await hasUsers(deps.db)
    ? undefined
    : await issueLink(deps, { slot: FIRST_OPERATOR, actor: "worker" });
}

/** Lets a user choose a password. Replaces the user's earlier link. */
export function userLink(
  deps: Deps,
  { user, actor }: { user: Pick<UserRow, "id">; actor: Actor },
): Promise<string> {
  return issueLink(deps, { slot: subjectOf(user), actor });
}

async function issueLink(
  { db, clock }: Deps,
  { slot, actor }: { slot: string; actor: Actor },
): Promise<string> {
  const { token, tokenHash } = await newToken();
  const nowMs = clock.nowMs();
  const endsAtMs = nowMs + LINK_MS;
  await db.write({
    reads: [read(SetUpLinks, [slot])],
    decide: (view) => {
      const before = view.find(SetUpLinks, [slot]);
      const subject = slot === FIRST_OPERATOR ? "user:first" : slot;
      recordAudit(view, { actor, action: "user.link_made", subject, nowMs });
      if (before) view.remove(SetUpLinks, before);
      view.insertKeyed(SetUpLinks, { slot, tokenHash, endsAtMs });
    },
  });
  return token;
}

interface OpenLink {
  /** Null: it creates the first operator, who still has to enter an email. */
  readonly user: UserRow | null;
}

/** Undefined: unknown, used or expired. */
export async function findLink(deps: Deps, token: string): Promise<OpenLink | undefined> {
  const link = await deps.db.find(SetUpLinks, [await hashOf(token)], "token");
  if (!link || link.endsAtMs <= deps.clock.nowMs()) return undefined;
  if (!await isGenuine(deps, SetUpLinks, link)) return undefined;
  const id = userIdOf(link);
  if (id === null) return { user: null };
  const user = await deps.db.find(Users, [id]);
  return user && user.disabledAtMs === null ? { user } : undefined;
}

interface SetUp {
  readonly token: string;
  /** Of the first operator; other users already have one. */
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

/** Uses the link up and signs the user in. Returns the session's token. */
export async function useLink(deps: Deps, setUp: SetUp): Promise<string> {
  const { origin, password } = setUp;
  const tokenHash = await hashOf(setUp.token);
  const open = await findLink(deps, setUp.token);
  if (!open) throw unusable();
  checkNewPassword(password);
  const email = open.user?.email ?? emailOf(setUp.email);
  const passwordHash = await hashPassword(password);
  const session = await newToken();
  return await deps.db.write({
    reads: [
      read(SetUpLinks, [tokenHash], "token"),
      read(SetUpLinks, [FIRST_OPERATOR]),
      read(Users, [email], "email"),
    ],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const link = view.find(SetUpLinks, [tokenHash], "token");
      if (!link || link.endsAtMs <= nowMs) throw unusable();
      mustBeGenuine(view, SetUpLinks, link);
      const user = takePassword(view, { link, email, passwordHash, origin, nowMs });
      openSession(view, { user, tokenHash: session.tokenHash, stage: "open", origin, nowMs });
      return session.token;
    },
  });
}

interface NewPassword {
  readonly link: SetUpLinkRow;
  readonly email: string;
  readonly passwordHash: string;
  readonly origin: Origin;
  readonly nowMs: number;
}

function takePassword(
  view: View,
  { link, email, passwordHash, origin, nowMs }: NewPassword,
): UserRow {
  const isFirst = link.slot === FIRST_OPERATOR;
  const before = isFirst ? undefined : view.find(Users, [email], "email");
  if (!isFirst && (!before || before.disabledAtMs !== null)) throw unusable();
  if (before) mustBeGenuine(view, Users, before);
  if (!isFirst) view.remove(SetUpLinks, link);
  const user = before
    ? view.update(Users, before, { passwordHash, generation: before.generation + 1 })
    : insertUser(view, { email, role: "operator", accountId: null, passwordHash, nowMs });
  recordAudit(view, {
    actor: userActor(user, origin),
    action: isFirst ? "user.created" : "user.password_set",
    subject: subjectOf(user),
    detail: { email, role: user.role, generation: user.generation },
    nowMs,
  });
  return user;
}

function userIdOf({ slot }: SetUpLinkRow): number | null {
  return slot === FIRST_OPERATOR ? null : Number(slot.split(":")[1]);
}

function unusable(): ActionRefused {
  return refuse("link_unusable");
}
