import { loginsWith } from "../../access/reads/users.ts";
import { ApiKeys } from "../../access/tables/keys.ts";
import { Users } from "../../access/tables/users.ts";
import type { Db } from "../../store/engine/db.ts";
import { partsOf, programName, programNamed, subjectOf } from "../rules/names.ts";

/** As in the log, from what people write: an email, a key's id, "command line" or "gateway". */
export async function actorNamed(db: Db, text: string): Promise<string> {
  const folded = text.toLowerCase();
  const named = programNamed(folded) ?? await userNamed(db, folded);
  if (named !== undefined) return named;
  const key = text.includes(":") ? undefined : await db.find(ApiKeys, [text]);
  return key ? `api:${key.keyId}` : text;
}

/** As in the log, from what people write: an email, or a thing and its number. */
export async function subjectNamed(db: Db, text: string): Promise<string> {
  return subjectOf(text) ?? await userNamed(db, text.toLowerCase()) ?? text;
}

async function userNamed(db: Db, folded: string): Promise<string | undefined> {
  if (!folded.includes("@")) return undefined;
  const [user] = await loginsWith(db, folded);
  return user && `user:${user.id}`;
}

/** A person's email, a key's label, or which program it was. Who isn't there keeps the log's name. */
export async function actorNames(
  db: Db,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const parts = [...new Set(actors)].map(partsOf);
  const ids = parts.filter(([kind, id]) => kind === "user" && /^\d{1,15}$/.test(id));
  const keyIds = parts.filter(([kind]) => kind === "api");
  const among = "IN (SELECT value FROM json_each(?))";
  const [users, keys] = await Promise.all([
    db.rows(Users, `WHERE id ${among}`, [JSON.stringify(ids.map(([, id]) => Number(id)))]),
    db.rows(ApiKeys, `WHERE key_id ${among}`, [JSON.stringify(keyIds.map(([, id]) => id))]),
  ]);
  const known = new Map<string, string>([
    ...users.map(({ id, email }) => [`user:${id}`, email] as const),
    ...keys.map(({ keyId, label }) => [`api:${keyId}`, `Key "${label}"`] as const),
  ]);
  return new Map(actors.map((one) => [one, programName(one) ?? known.get(one) ?? one]));
}
