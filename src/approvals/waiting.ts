import { present } from "../base/assert.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type ApprovalRequestRow, ApprovalRequests } from "./table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import { isRestored } from "../wallets/halt.ts";
import { moveWithdrawal, withdrawalReads } from "../books/move_withdrawal.ts";
import type { Actor, Deps } from "../deps/deps.ts";

export interface Waiting {
  readonly request: ApprovalRequestRow;
  readonly row: WithdrawalRow;
}

export async function findWaiting({ db }: Pick<Deps, "db">, id: number): Promise<Waiting> {
  const [row, request] = await Promise.all([
    db.find(Withdrawals, [id]),
    db.find(ApprovalRequests, [id]),
  ]);
  if (!row) throw refuse("withdrawal_unknown", { id });
  const wallet = await hotWalletOf(db, row);
  if (wallet && isRestored(wallet)) throw refuse("approval_unsure", { id });
  return waitingOf(row, request);
}

export function waitingReads(row: WithdrawalRow): Read[] {
  return [...withdrawalReads(row), read(ApprovalRequests, [row.id])];
}

export function waitingIn(view: View, id: number): Waiting {
  const waiting = waitingOf(view.get(Withdrawals, [id]), view.find(ApprovalRequests, [id]));
  return waiting;
}

function waitingOf(row: WithdrawalRow, request: ApprovalRequestRow | undefined): Waiting {
  const { id, status } = row;
  const isWaiting = status === "pending" && row.approval === "waiting";
  if (!isWaiting || !request) throw refuse("approval_not_needed", { id, status });
  return { row, request };
}

interface End {
  readonly trigger: "rejected" | "expired";
  readonly actor: Actor;
}

/** Gives its money back. */
export function endWaiting(view: View, { row, request }: Waiting, end: End): WithdrawalRow {
  view.update(ApprovalRequests, request, { open: null });
  const moved = moveWithdrawal(view, { id: row.id, step: { ...end, nowMs: view.nowMs } });
  return present(moved, "What waits is pending");
}
