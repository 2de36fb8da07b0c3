import { Users } from "../../access/tables/users.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { partsOf, programName } from "../rules/names.ts";

/** A person's email, or which program it was. */
export async function actorName({ deps: { db } }: Visit, actor: string): Promise<string> {
  const [kind, id] = partsOf(actor);
  const program = programName(actor);
  if (program !== undefined) return program;
  if (kind !== "user" || !/^\d{1,15}$/.test(id)) return actor;
  return (await db.find(Users, [Number(id)]))?.email ?? `User ${id}`;
}
