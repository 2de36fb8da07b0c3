import { Accounts } from "../store/setup_tables.ts";
import { Users } from "../store/user_tables.ts";
import type { Actor, Deps } from "./deps.ts";

/** An account's own users may only where the operator allowed it: each bid can cost more. */
export async function mayPush(
  { db }: Deps,
  { actor, accountId }: { actor: Actor; accountId: number },
): Promise<boolean> {
  const name = typeof actor === "string" ? actor : actor.name;
  const [, userId] = /^user:(\d+)$/.exec(name) ?? [];
  if (userId === undefined) return true;
  const user = await db.find(Users, [Number(userId)]);
  if (user?.role === "operator") return true;
  const account = await db.find(Accounts, [accountId]);
  return user?.accountId === accountId && account?.mayPush === true &&
    db.isGenuine(Users, user) && db.isGenuine(Accounts, account);
}
