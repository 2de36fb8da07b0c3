import { isAble, isGatewayRole } from "../access/rules/roles.ts";
import type { UserRow } from "../access/tables/users.ts";
import { Accounts } from "../accounts/tables/accounts.ts";
import type { ApprovalRequestRow } from "./table.ts";
import { isSuspended } from "../books/stopped.ts";
import type { Actor } from "../deps/deps.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

/** Commands that don't say who decides count as one person. */
export const COMMAND_LINE = "cli";

export interface Decider {
  /** "user:7" or "cli"; approving twice counts as once. */
  readonly person: string;
  readonly actor: Actor;
  /** Undefined: whoever can use the command line of the machine. */
  readonly user: UserRow | undefined;
}

export function deciderOf(user: UserRow, actor: Actor): Decider {
  return { person: `user:${user.id}`, actor, user };
}

/** Throws unless this person may approve or reject the withdrawal. */
export function mayDecide(request: ApprovalRequestRow, decider: Decider): void {
  const refusal = refusalOf(request, decider);
  if (refusal) throw refusal;
}

export function deciderReads({ user }: Decider): Read[] {
  return user && user.accountId !== null ? [read(Accounts, [user.accountId])] : [];
}

/** In the unit that decides: the people of a suspended account only read. */
export function mustNotBeSuspended(view: View, { user }: Decider): void {
  if (!user || user.accountId === null || !isSuspended(view, user.accountId)) return;
  throw refuse("approval_suspended", { email: user.email });
}

/** Whether an approval of theirs would count. */
export function isDecider(request: ApprovalRequestRow, decider: Decider): boolean {
  return request.requestedBy !== decider.person && refusalOf(request, decider) === undefined;
}

function refusalOf(request: ApprovalRequestRow, { user }: Decider): ActionRefused | undefined {
  if (!user) return undefined;
  const { withdrawalId: id, decidedBy, accountId } = request;
  const { role, email } = user;
  const isOurs = isGatewayRole(role) || user.accountId === accountId;
  if (!isOurs) return refuse("withdrawal_unknown", { id });
  if (!isAble(role, "approve")) return refuse("approval_not_allowed", { email });
  const isTheirs = decidedBy === "operator" && !isGatewayRole(role);
  return isTheirs ? refuse("approval_not_yours", { id }) : undefined;
}
