import { userEmails } from "../../../store/reads/pages/names.ts";
import type { Visit } from "../../visit.ts";

interface Asked {
  readonly person: string | null;
  readonly ip: string | null;
}

/** Who asked and from where, as far as the reader may know. */
export type Names = (asked: Asked) => { readonly name: string; readonly ip: string | null };

/** Merchants see their own people, and "the operator" for all others. */
export async function namesOf(
  { deps: { db }, accountId }: Visit,
  people: readonly (string | null)[],
): Promise<Names> {
  const emails = await userEmails(db, { ids: people.flatMap(userIdIn), accountId });
  return ({ person, ip }) => {
    const [id] = userIdIn(person);
    const email = id === undefined ? undefined : emails.get(id);
    if (email !== undefined) return { name: email, ip };
    if (person === null) return { name: "nobody the books know", ip };
    if (accountId !== null) return { name: "the operator", ip: null };
    return { name: person === "cli" ? "the command line" : person, ip };
  };
}

function userIdIn(person: string | null): number[] {
  const id = /^user:(\d{1,15})$/.exec(person ?? "")?.[1];
  return id === undefined ? [] : [Number(id)];
}
