import { Accounts } from "../store/tables/setup.ts";
import { Users } from "../access/tables/users.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/** An account's own users need the operator's permission, because each bid can cost more. */
export async function mayPush(
  { db }: Pick<Deps, "db">,
  { actor, accountId }: { actor: Actor; accountId: number },
): Promise<boolean> {
  const own = await ownAccountOf({ db }, actor);
  if (own === undefined) return true;
  const account = await db.find(Accounts, [accountId]);
  return own === accountId && account?.mayPush === true && db.isGenuine(Accounts, account);
}

/** Whose user or key it is; undefined: an operator's, or the program itself. */
export async function ownAccountOf(
  { db }: Pick<Deps, "db">,
  actor: Actor,
): Promise<number | null | undefined> {
  if (typeof actor !== "string" && typeof actor.accountId === "number") return actor.accountId;
  const name = typeof actor === "string" ? actor : actor.name;
  const [, userId] = /^user:(\d+)$/.exec(name) ?? [];
  if (userId === undefined) return undefined;
  const user = await db.get(Users, [Number(userId)]);
  if (!db.isGenuine(Users, user)) return null;
  return user.role === "operator" ? undefined : user.accountId;
}
