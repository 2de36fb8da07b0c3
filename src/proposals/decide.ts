import { ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { type ProposalRow, Proposals } from "./table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { type Decider, deciderReads, mustNotBeSuspended } from "../approvals/decider.ts";
import type { Credential } from "../access/manage_users.ts";
import { recordAudit } from "../books/records.ts";
import type { GuardedChange, Mandate } from "../control/guard.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { changeOf } from "./changes.ts";
import { proposalSubject } from "./propose.ts";
import { findWaiting, mayDecide, waitingIn } from "./waiting.ts";

interface Decision {
  readonly id: number;
  readonly decider: Decider;
}

/** Decided and done in one unit, exactly as proposed, if it still changes the same. */
export async function approveProposal(
  deps: Deps,
  { id, decider, login }: Decision & {
    /** If it makes one: how the new user will sign in, which the decider tells them. */
    readonly login?: Credential | undefined;
  },
): Promise<ProposalRow> {
  const row = await findWaiting(deps, id);
  mayDecide(row, decider);
  const { askedBy, askedIp } = row;
  const actor = askedIp === null ? askedBy : { name: askedBy, ip: askedIp };
  try {
    const change = changeOf(row);
    const made = change.makes === "key" ? row : login;
    await change.run(deps, row.wanted, { actor, made, mandate: mandateFor(id, decider) });
  } catch (error) {
    // If somebody else was first, that is why it can't be done.
    const { state } = await deps.db.get(Proposals, [id]);
    if (!(error instanceof ActionRefused) || state === "waiting") throw error;
    throw refuse("proposal_decided", { id, state });
  }
  const after = await deps.db.get(Proposals, [id]);
  // Somebody has done the same since, so there was nothing to change.
  if (after.state !== "approved") throw refuse("proposal_outdated", { id });
  return after;
}

function mandateFor(id: number, decider: Decider): Mandate {
  return {
    reads: [read(Proposals, [id]), ...deciderReads(decider)],
    use: (view, change) => {
      const row = waitingIn(view, id);
      mayDecide(row, decider);
      mustNotBeSuspended(view, decider);
      if (!isAsBefore(row, change)) throw refuse("proposal_outdated", { id });
      decide(view, { row, to: "approved", actor: decider.actor, person: decider.person });
    },
  };
}

function isAsBefore(row: ProposalRow, { before }: GuardedChange): boolean {
  return withoutNulls(row.before) === withoutNulls(before);
}

/** A field that the version which stored the proposal didn't have is null until somebody sets it. */
function withoutNulls(before: object | null): string | undefined {
  return JSON.stringify(before, (_, value) => value ?? undefined);
}

export async function rejectProposal(
  deps: Deps,
  { id, decider, reason }: Decision & { readonly reason: string },
): Promise<ProposalRow> {
  await findWaiting(deps, id);
  return await deps.db.write({
    reads: [read(Proposals, [id]), ...deciderReads(decider)],
    decide: (view) => {
      const row = waitingIn(view, id);
      mayDecide(row, decider);
      mustNotBeSuspended(view, decider);
      const { actor, person } = decider;
      return decide(view, { row, to: "rejected", actor, person, reason });
    },
  });
}

interface Ending {
  readonly row: ProposalRow;
  readonly to: "approved" | "rejected" | "expired";
  readonly actor: Actor;
  readonly person: string | null;
  readonly reason?: string;
}

export function decide(view: View, { row, to, actor, person, reason }: Ending): ProposalRow {
  const { nowMs } = view;
  const { kind, before, after } = row;
  const decided = { kind, from: row.state, to, ...reason === undefined ? {} : { reason } };
  const detail = { ...decided, before, after };
  const subject = proposalSubject(row);
  recordAudit(view, { actor, action: `proposal.${to}`, subject, detail, nowMs });
  return view.atOnce("the second person decides, or it expires").update(Proposals, row, {
    ...{ state: to, open: null, reason: reason ?? null },
    ...{ decidedBy: person, decidedAtMs: nowMs },
  });
}
