import { Users } from "../../access/tables/users.ts";
import type { Visit } from "../../dashboard/visit.ts";

/** A person's email, or which program it was. */
export async function actorName({ deps: { db } }: Visit, actor: string): Promise<string> {
  const [kind, id] = partsOf(actor);
  if (actor === "cli") return "Command line";
  if (actor === "worker") return "Gateway";
  if (kind !== "user" || !/^\d{1,15}$/.test(id)) return actor;
  return (await db.find(Users, [Number(id)]))?.email ?? `User ${id}`;
}

/** "user:1" as "user" and "1". */
export function partsOf(name: string): readonly [kind: string, id: string] {
  const at = name.indexOf(":");
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 1)];
}
