import { isAble, isGatewayRole } from "../access/rules/roles.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { saidOfControl } from "./reads.ts";
import { type ProposalRow, Proposals } from "./table.ts";
import type { View } from "../store/engine/workspace.ts";
import type { Decider } from "../approvals/decider.ts";
import { genuine, reportTampered } from "../books/tampered.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";
import { changeOf, isOperatorsRule } from "./changes.ts";
import { proposalSubject } from "./propose.ts";

/** As its asker made it. An old row that was put back, or one that the log doesn't know, is none. */
export async function findWaiting(deps: Deps, id: number): Promise<ProposalRow> {
  const row = await deps.db.find(Proposals, [id]);
  if (!row) throw refuse("proposal_unknown", { id });
  await genuine(deps, Proposals, [row]);
  if (row.state !== "waiting") throw refuse("proposal_decided", { id, state: row.state });
  const said = await saidOfControl(deps.db, proposalSubject(row));
  if (said.length === 1 && said[0]?.action === "proposal.made") return row;
  const again = await deps.db.get(Proposals, [id]);
  if (again.state !== "waiting") throw refuse("proposal_decided", { id, state: again.state });
  const fault = tampered(Proposals, row);
  await reportTampered(deps, fault);
  throw fault;
}

/** In the unit that decides. */
export function waitingIn(view: View, id: number): ProposalRow {
  const row = view.get(Proposals, [id]);
  const { state } = row;
  if (state !== "waiting") throw refuse("proposal_decided", { id, state });
  if (row.expiresAtMs <= view.nowMs) throw refuse("proposal_decided", { id, state: "expired" });
  return row;
}

/** Throws unless this person may approve or reject it. */
export function mayDecide(row: ProposalRow, { user, person }: Decider): void {
  const { id } = row;
  if (user && !isTheirs(row, user)) throw refuse("proposal_unknown", { id });
  if (user && !isDecider(row, user)) throw refuse("proposal_not_allowed", { email: user.email });
  if (row.askedBy === person) throw refuse("proposal_own", { id });
}

/** Operators' rules are shown to no account, not even those about it. */
export function isTheirs(row: ProposalRow, { accountId }: Pick<Person, "accountId">): boolean {
  return accountId === null || row.accountId === accountId && !isOperatorsRule(row);
}

type Person = NonNullable<Decider["user"]>;

/**
 * Operators and approvers; for an account, also whoever of it could do the same. Whoever decides on a
 * login is shown its link, so an approver would become whatever the login may do.
 */
function isDecider(row: ProposalRow, user: Person): boolean {
  const { ability, makes } = changeOf(row);
  if (isGatewayRole(user.role)) {
    return isAble(user.role, makes === "login" ? "manage_users" : "approve");
  }
  const { accountId } = row;
  return accountId !== null && user.accountId === accountId && ability !== null &&
    isAble(user.role, ability);
}
