import { Accounts } from "../../store/tables/setup.ts";
import { type UserRow, Users } from "../../store/tables/users.ts";
import type { Actor, Deps } from "../deps.ts";

/** An account's own users need the operator's permission, because each bid can cost more. */
export async function mayPush(
  { db }: Pick<Deps, "db">,
  { actor, accountId }: { actor: Actor; accountId: number },
): Promise<boolean> {
  const user = await merchantOf({ db }, actor);
  if (!user) return true;
  const account = await db.find(Accounts, [accountId]);
  return user.accountId === accountId && account?.mayPush === true &&
    db.isGenuine(Users, user) && db.isGenuine(Accounts, account);
}

/** Undefined: an operator, or the program itself. */
export async function merchantOf(
  { db }: Pick<Deps, "db">,
  actor: Actor,
): Promise<UserRow | undefined> {
  const name = typeof actor === "string" ? actor : actor.name;
  const [, userId] = /^user:(\d+)$/.exec(name) ?? [];
  if (userId === undefined) return undefined;
  const user = await db.get(Users, [Number(userId)]);
  return user.role === "operator" ? undefined : user;
}
