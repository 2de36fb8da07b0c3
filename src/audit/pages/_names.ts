import { loginsWith } from "../../access/reads/users.ts";
import { ApiKeys } from "../../store/tables/setup.ts";
import { Users } from "../../access/tables/users.ts";
import type { Visit } from "../../dashboard/visit.ts";

/** What people write, and what is in the log. */
const ACTORS = [["command line", "cli"], ["gateway", "worker"]] as const;

const SUBJECTS: readonly (readonly [said: string, kind: string])[] = [
  ["payout", "withdrawal"],
  ["withdrawal", "withdrawal"],
  ["deposit", "transaction"],
  ["rule", "policy"],
  ...["sweep", "batch", "webhook", "account", "payee", "alert"].map((one) => [one, one] as const),
];

/** As in the log, from what people write: an email, a key's id, "command line" or "gateway". */
export async function actorNamed(visit: Visit, text: string | null): Promise<string | null> {
  if (text === null) return null;
  const folded = text.toLowerCase();
  const alone = ACTORS.find(([said]) => said === folded);
  if (alone) return alone[1];
  const user = await userNamed(visit, folded);
  if (user !== undefined) return user;
  const key = text.includes(":") ? undefined : await visit.deps.db.find(ApiKeys, [text]);
  return key ? `api:${key.keyId}` : text;
}

/** As in the log, from what people write: an email, or a thing and its number. */
export async function subjectNamed(visit: Visit, text: string | null): Promise<string | null> {
  if (text === null) return null;
  const [, thing = "", id] = /^([a-z]+)[ #]+(\d+)$/.exec(text.toLowerCase()) ?? [];
  const found = SUBJECTS.find(([said]) => said === thing);
  if (found) return `${found[1]}:${id}`;
  return await userNamed(visit, text.toLowerCase()) ?? text;
}

async function userNamed(
  { deps: { db } }: Visit,
  folded: string,
): Promise<string | undefined> {
  if (!folded.includes("@")) return undefined;
  const [user] = await loginsWith(db, folded);
  return user && `user:${user.id}`;
}

/** What the field of a filter shows. */
export async function actorText(visit: Visit, actor: string): Promise<string> {
  const alone = ACTORS.find(([, name]) => name === actor);
  return alone?.[0] ?? await emailOf(visit, actor) ?? actor;
}

export async function subjectText(visit: Visit, subject: string): Promise<string> {
  const [, kind = "", id] = /^([a-z]+):(\d+)$/.exec(subject) ?? [];
  const thing = SUBJECTS.find(([, one]) => one === kind);
  return thing ? `${thing[0]} ${id}` : await emailOf(visit, subject) ?? subject;
}

async function emailOf({ deps: { db } }: Visit, name: string): Promise<string | undefined> {
  const [, id] = /^user:(\d{1,15})$/.exec(name) ?? [];
  return id === undefined ? undefined : (await db.find(Users, [Number(id)]))?.email;
}
