import { TooManyTries } from "../domain/refusal.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { FIRST_OPERATOR, SetUpLinks, Users } from "./tables/users.ts";
import type { SetUpLinkRow, UserRow } from "./tables/users.ts";
import { hasOperator } from "./reads/users.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { type Guard, guardOf } from "../control/guard.ts";
import { hashOf, newToken, openSession, type Origin, userActor } from "./sessions.ts";
import { countTry, linkRulesOf, secondsToWait } from "./_throttle.ts";
import { isGenuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import {
  checkNewPassword,
  emailOf,
  hashFor,
  insertUser,
  loginReads,
  mustBeUnknown,
  subjectOf,
  writeLink,
} from "./manage_users.ts";

/** Printed at the start. Undefined: somebody can sign in already. */
export async function firstOperatorLink(deps: Deps): Promise<string | undefined> {
  return await hasOperator(deps.db)
    ? undefined
    : await issueLink(deps, { slot: FIRST_OPERATOR, actor: "worker" });
}

/** One that was printed earlier isn't to work any more. */
export async function endFirstOperatorLink({ db, clock }: Deps): Promise<void> {
  if (await db.find(SetUpLinks, [FIRST_OPERATOR]) === undefined) return;
  await db.write({
    reads: [read(SetUpLinks, [FIRST_OPERATOR])],
    decide: (view) => {
      const link = view.raw.find(SetUpLinks, [FIRST_OPERATOR]);
      if (!link) return;
      view.atOnce("nobody can sign in yet").remove(SetUpLinks, link);
      const fact = { action: "user.link_ended", subject: "user:first" } as const;
      recordAudit(view, { actor: "worker", ...fact, nowMs: clock.nowMs() });
    },
  });
}

/** Lets a user choose a password. Replaces the user's earlier link. */
export async function userLink(
  deps: Deps,
  { user: { id }, actor }: { user: Pick<UserRow, "id">; actor: Actor },
): Promise<string> {
  const { accountId } = await deps.db.get(Users, [id]);
  const guard = await guardOf(deps, { accountId, mandate: undefined });
  return await issueLink(deps, { slot: subjectOf({ id }), actor, guard });
}

async function issueLink(
  { db, clock }: Deps,
  { slot, actor, guard }: { slot: string; actor: Actor; guard?: Guard },
): Promise<string> {
  const { token, tokenHash } = newToken();
  await db.write({
    reads: [read(SetUpLinks, [slot]), ...guard?.reads ?? []],
    decide: (view) => {
      guard?.pass(view, { isLooser: true, before: null, after: { slot } });
      const before = view.raw.find(SetUpLinks, [slot]);
      const to = guard ? view : view.atOnce("nobody can sign in yet");
      writeLink(to, { slot, tokenHash, before, actor, nowMs: clock.nowMs() });
    },
  });
  return token;
}

export interface OpenLink {
  /** Null: it creates the first operator, who still has to enter an email. */
  readonly user: UserRow | null;
}

/** Undefined: unknown, used or expired. */
export async function findLink(deps: Deps, token: string): Promise<OpenLink | undefined> {
  const link = await deps.db.find(SetUpLinks, [hashOf(token)], "token");
  if (!link || link.endsAtMs <= deps.clock.nowMs()) return undefined;
  if (!await isGenuine(deps, SetUpLinks, link)) return undefined;
  const id = userIdOf(link);
  // An operator may have come another way since it was made, by a new role for example.
  if (id === null) return await hasOperator(deps.db) ? undefined : { user: null };
  const user = await deps.db.find(Users, [id]);
  return user && user.disabledAtMs === null ? { user } : undefined;
}

/** For strangers: where many wrong ones came from, none is looked up for a while. */
export async function tryLink(
  deps: Deps,
  { token, ip }: { token: string; ip: string },
): Promise<OpenLink | undefined> {
  const rules = linkRulesOf(ip);
  const retryAfterS = await secondsToWait(deps, rules);
  if (retryAfterS !== undefined) throw new TooManyTries(retryAfterS);
  const link = await findLink(deps, token);
  if (!link) await countTry(deps, rules);
  return link;
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
  const tokenHash = hashOf(setUp.token);
  const open = await findLink(deps, setUp.token);
  if (!open) throw unusable();
  checkNewPassword(password);
  const email = open.user?.email ?? emailOf(setUp.email);
  if (!open.user) await mustBeUnknown(deps, email);
  const passwordHash = await hashFor(deps, { email, password });
  const session = newToken();
  const guard = await guardOf(deps, { accountId: null, mandate: undefined });
  return await deps.db.write({
    reads: [
      ...guard.reads,
      read(SetUpLinks, [tokenHash], "token"),
      ...loginReads({ email, accountId: null }),
      ...open.user ? [read(Users, [open.user.id])] : [],
    ],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const link = view.find(SetUpLinks, [tokenHash], "token");
      if (!link || link.endsAtMs <= nowMs) throw unusable();
      const isLooser = link.slot === FIRST_OPERATOR;
      guard.pass(view, { isLooser, before: null, after: { email, role: "operator" } });
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
  const userId = userIdOf(link);
  const before = userId === null ? undefined : view.find(Users, [userId]);
  if (!isFirst && (!before || before.disabledAtMs !== null)) throw unusable();
  if (!isFirst) view.remove(SetUpLinks, link);
  const user = before
    ? view.update(Users, before, { passwordHash, generation: before.generation + 1 })
    : insertUser(view, { email, role: "operator", accountId: null, passwordHash, nowMs });
  recordAudit(view, {
    actor: userActor(user, origin),
    action: isFirst ? "user.created" : "user.password_set",
    subject: subjectOf(user),
    detail: { email, generation: user.generation, ...{ before: null, after: { role: user.role } } },
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
