import { deadlineIn, OutOfTime } from "../base/waiting/deadline.ts";
import { NodeError } from "../chains/faults.ts";
import { approvalTerms, refusingRule, type Verdict } from "../policies/rules/rules.ts";
import { heldBackText } from "../payouts/rules/held_back.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type ApprovalRequestRow, ApprovalRequests, type ApprovalRow, Approvals } from "./table.ts";
import type { PolicyRow } from "../policies/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { CannotPayYet } from "../domain/cannot_pay.ts";
import { genuine, reportTampered } from "../books/tampered.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import { recordAudit } from "../books/records.ts";
import { prepareJudging, withRules } from "../policies/judging.ts";
import { paymentOf } from "../policies/payment.ts";
import { broadcastWithdrawal } from "../withdrawals/broadcast.ts";
import { type Conditions, conditionsOf, RefundsChanged } from "../withdrawals/held_back.ts";
import type { Deps } from "../deps/deps.ts";
import { type Decider, deciderReads, mayDecide, mustNotBeSuspended } from "./decider.ts";
import { endWaiting, findWaiting, type Waiting, waitingIn, waitingReads } from "./waiting.ts";

/** A person waits for the answer. */
const BUDGET_MS = 8_500;

export interface Decision {
  readonly id: number;
  readonly decider: Decider;
}

/** A withdrawal, how many have approved it, and how many must. */
interface Approved {
  readonly row: WithdrawalRow;
  readonly given: number;
  readonly needed: number;
}

/** Adds a person's approval. Once there are enough, it is sent, after a crash by a worker. */
export async function approveWithdrawal(deps: Deps, decision: Decision): Promise<Approved> {
  const approved = await withRules(deps, () => approveOnce(deps, decision));
  const { row } = approved;
  if (row.approval !== "approved") return approved;
  return { ...approved, row: await send(deps, { row, decision }) };
}

/** If the node doesn't answer now, the worker tries again. */
async function send(
  deps: Deps,
  { row, decision }: { row: WithdrawalRow; decision: Decision },
): Promise<WithdrawalRow> {
  const deadline = deadlineIn(BUDGET_MS);
  try {
    const { actor } = decision.decider;
    return await deadline.race(broadcastWithdrawal(deps, row, { actor }));
  } catch (error) {
    const isLater = error instanceof CannotPayYet || error instanceof NodeError ||
      error instanceof OutOfTime;
    if (!isLater) throw error;
    return await deps.db.get(Withdrawals, [row.id]);
  } finally {
    deadline.cancel();
  }
}

async function approveOnce(deps: Deps, { id, decider }: Decision): Promise<Approved> {
  const { request: asked, row } = await findWaiting(deps, id);
  const { countedAtMs } = asked;
  const earlier = await approvalsOf(deps, asked);
  const catalog = await deps.catalog.current();
  const conditions = await conditionsOf(deps, row);
  const judging = await prepareJudging(deps, {
    payment: () => paymentOf(catalog, row),
    countedAtMs,
  });
  const own = read(Approvals, [id, decider.person], "person");
  const outcome = await deps.db.write<Approved | "expired">({
    reads: [
      ...waitingReads(row),
      ...deciderReads(decider),
      own,
      ...earlierReads(earlier),
      ...judging.reads,
      ...conditions.reads,
    ],
    decide: (view) => {
      const waiting = waitingIn(view, id);
      const { request } = waiting;
      mustStillBeThere(view, { earlier, request });
      mayDecide(request, decider);
      mustNotBeSuspended(view, decider);
      if (request.requestedBy === decider.person) throw refuse("approval_by_requester", { id });
      if (request.expiresAtMs <= view.nowMs) return expire(view, waiting);
      if (request.countedAtMs !== countedAtMs) throw refuse("withdrawal_changed", { id });
      const terms = termsNow(request, judging.verdict(view));
      mayDecide({ ...request, ...terms }, decider);
      if (view.rowOf(own)) return { row: waiting.row, given: request.given, needed: terms.needed };
      mustBePayable(view, { id, conditions });
      judging.count(view, view.nowMs);
      return addApproval(view, { waiting, decider, terms });
    },
  });
  judging.remember();
  if (outcome === "expired") throw refuse("approval_not_needed", { id, status: "cancelled" });
  return outcome;
}

/** Whoever approves is told, and what was approved is not paid later, when nobody expects it. */
function mustBePayable(
  view: View,
  { id, conditions }: { id: number; conditions: Conditions },
): void {
  try {
    const why = conditions.whyNot(view);
    if (why) throw refuse("approval_held_back", { id, why: heldBackText(why) });
  } catch (error) {
    if (error instanceof RefundsChanged) throw refuse("withdrawal_changed", { id, cause: error });
    throw error;
  }
}

/** If the row of an approval was deleted, the same person could approve again and count twice. */
async function approvalsOf(
  deps: Deps,
  request: ApprovalRequestRow,
): Promise<readonly ApprovalRow[]> {
  const { withdrawalId, given } = request;
  const approvals = await deps.db.list(Approvals, { withdrawalId });
  await genuine(deps, Approvals, approvals);
  if (approvals.length >= given) return approvals;
  const fault = tampered(ApprovalRequests, request);
  await reportTampered(deps, fault);
  throw fault;
}

function earlierReads(earlier: readonly ApprovalRow[]): Read[] {
  return readAll(Approvals, earlier.map(({ id }) => [id]));
}

/** Checks again, because one may have been deleted since they were read. */
function mustStillBeThere(
  view: View,
  { earlier, request }: { earlier: readonly ApprovalRow[]; request: ApprovalRequestRow },
): void {
  if (earlier.every(({ id }) => view.find(Approvals, [id]))) return;
  throw tampered(ApprovalRequests, request);
}

function expire(view: View, waiting: Waiting): "expired" {
  endWaiting(view, waiting, { trigger: "expired", actor: "worker" });
  return "expired";
}

type Terms = Pick<ApprovalRequestRow, "needed" | "decidedBy">;

/** Throws if a rule refuses it now. */
function termsNow(request: ApprovalRequestRow, verdict: Verdict<PolicyRow>): Terms {
  const rule = refusingRule(verdict);
  if (rule) throw refuse("policy_refused", { label: rule.label });
  const needed = Math.max(request.needed, approvalTerms(verdict).needed);
  const operators = verdict.matching.filter(({ setBy }) => setBy === "operator");
  const { decidedBy } = request;
  if (decidedBy === "operator" || operators.length === 0) return { decidedBy, needed };
  // Whoever agreed so far wasn't asked by the operator's rule.
  const all = request.given + approvalTerms({ ...verdict, matching: operators }).needed;
  return { decidedBy: "operator", needed: Math.max(needed, all) };
}

function addApproval(
  view: View,
  { waiting: { row, request }, decider, terms }: {
    waiting: Waiting;
    decider: Decider;
    terms: Terms;
  },
): Approved {
  const { id } = row;
  const { needed } = terms;
  const { nowMs } = view;
  const given = request.given + 1;
  const isEnough = given >= needed;
  view.insert(Approvals, { withdrawalId: id, person: decider.person, approvedAtMs: nowMs });
  view.update(ApprovalRequests, request, {
    ...terms,
    given,
    countedAtMs: nowMs,
    open: isEnough ? null : 1,
  });
  recordAudit(view, {
    actor: decider.actor,
    action: "withdrawal.approved",
    subject: `withdrawal:${id}`,
    detail: { before: request.given, after: given, needed },
    nowMs,
  });
  const approved = isEnough ? view.update(Withdrawals, row, { approval: "approved" }) : row;
  return { row: approved, given, needed };
}
