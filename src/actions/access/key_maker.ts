import type { Role } from "../../domain/access/roles.ts";
import { firstWord } from "../../store/reads/control/last_words.ts";
import { Users } from "../../store/tables/users.ts";
import { isNewestUser } from "../integrity/newest.ts";
import type { Deps } from "../deps.ts";

/** The actor that created the key, by the log. Never changes, so it is looked up once. */
export async function keyMakerOf(
  { db, memory }: Pick<Deps, "db" | "memory">,
  keyId: string,
): Promise<string | undefined> {
  const known = memory.keyMakers.get(keyId);
  if (known !== undefined) return known;
  const said = await firstWord(db, { subject: `key:${keyId}`, action: "key.created" });
  const maker = said?.actor;
  if (maker !== undefined) memory.keyMakers.set(keyId, maker);
  return maker;
}

/** The role that whoever made the key has now; none if disabled. The command line is the operator's. */
export async function keyRoleOf(deps: Deps, keyId: string): Promise<Role | undefined> {
  const maker = await keyMakerOf(deps, keyId);
  if (maker === undefined) return undefined;
  const [, userId] = /^user:(\d+)$/.exec(maker) ?? [];
  if (userId === undefined) return "operator";
  const user = await deps.db.find(Users, [Number(userId)]);
  if (!user || user.disabledAtMs !== null) return undefined;
  return await isNewestUser(deps, user) ? user.role : undefined;
}
