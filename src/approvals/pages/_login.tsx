import { newToken } from "../../access/sessions.ts";
import type { Decider } from "../decider.ts";
import { approveProposal } from "../../proposals/decide.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { NewLink } from "../../access/pages/new_link.tsx";
import { loginIn } from "./_proposal.tsx";

/** Two people were needed, so whoever asked doesn't get the link. */
export async function approveLogin(visit: Visit, order: { id: number; decider: Decider }) {
  const { token, tokenHash: linkHash } = newToken();
  const login = { passwordHash: null, linkHash };
  const row = await approveProposal(visit.deps, { ...order, login });
  const up = { path: "/inbox", label: "Inbox" };
  return <NewLink visit={visit} email={loginIn(row)} token={token} up={up} />;
}
