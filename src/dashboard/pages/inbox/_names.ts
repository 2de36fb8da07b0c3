import type { Inbox } from "../../../actions/proposals/inbox.ts";
import { userEmails } from "../../../store/reads/pages/names.ts";
import type { Visit } from "../../visit.ts";

/** Who asked, as an email where it is a user. */
export type Names = (person: string | null) => string;

export async function namesOf(
  { deps: { db } }: Visit,
  { payouts, proposals }: Pick<Inbox, "payouts" | "proposals">,
): Promise<Names> {
  const people = [
    ...payouts.map(({ row }) => row.requestedBy),
    ...proposals.map(({ row }) => row.askedBy),
  ];
  const emails = await userEmails(db, people.flatMap(userIdIn));
  return (person) => {
    const [id] = userIdIn(person);
    if (person === "cli") return "the command line";
    return (id === undefined ? person : emails.get(id) ?? person) ?? "nobody the books know";
  };
}

function userIdIn(person: string | null): number[] {
  const id = /^user:(\d{1,15})$/.exec(person ?? "")?.[1];
  return id === undefined ? [] : [Number(id)];
}
