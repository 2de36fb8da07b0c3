import type { Role } from "./rules/roles.ts";
import { RoleKeys } from "./tables/keys.ts";
import { Users } from "./tables/users.ts";
import { firstWord } from "../control/reads/last_words.ts";
import type { Deps } from "../deps/deps.ts";
import { isNewestRoleKey, isNewestUser } from "../integrity/newest.ts";

/** The actor that created the key, by the log. Never changes, so it is looked up once. */
async function creatorOf(
  { db, memory }: Pick<Deps, "db" | "memory">,
  keyId: string,
): Promise<string | undefined> {
  const known = memory.keyMakers.get(keyId);
  if (known !== undefined) return known;
  const said = await firstWord(db, { subject: `key:${keyId}`, action: "key.created" });
  const creator = said?.actor;
  if (creator !== undefined) memory.keyMakers.set(keyId, creator);
  return creator;
}

/** Whoever made the key. If another key did, that is whoever made that one. */
export async function keyMakerOf(
  deps: Pick<Deps, "db" | "memory">,
  keyId: string,
): Promise<string | undefined> {
  const creator = await creatorOf(deps, keyId);
  const maker = keyIn(creator);
  return maker === undefined ? creator : await keyMakerOf(deps, maker);
}

/** The role that whoever made the key has now; none if disabled. The command line is the operator's. */
export async function keyRoleOf(deps: Deps, keyId: string): Promise<Role | undefined> {
  const own = await deps.db.find(RoleKeys, [keyId]);
  if (own) return await isNewestRoleKey(deps, own) ? own.role : undefined;
  const creator = await creatorOf(deps, keyId);
  if (creator === undefined) return undefined;
  const maker = keyIn(creator);
  // It may be revoked by now: programs change their keys more often than their roles.
  if (maker !== undefined) return await keyRoleOf(deps, maker);
  const [, userId] = /^user:(\d+)$/.exec(creator) ?? [];
  if (userId === undefined) return "operator";
  const user = await deps.db.find(Users, [Number(userId)]);
  if (!user || user.disabledAtMs !== null) return undefined;
  return await isNewestUser(deps, user) ? user.role : undefined;
}

function keyIn(actor: string | undefined): string | undefined {
  return /^api:(.+)$/.exec(actor ?? "")?.[1];
}
