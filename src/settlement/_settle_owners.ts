import { present } from "../base/assert.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { SweepTrigger } from "../sweeps/rules/sweep_moves.ts";
import type { View } from "../store/engine/workspace.ts";
import { insertAlert } from "../books/alerts.ts";
import { hasMovedNothing, shortfallOf } from "../books/arrival.ts";
import { moveOutgoing } from "../books/move_transaction.ts";
import { moveSweep, undoSweep } from "../books/move_sweep.ts";
import { moveWithdrawal } from "../books/move_withdrawal.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import { type Settling, sweptIn } from "./_owners.ts";
import { alertUndecided, isUndecided, settleWithdrawal } from "./_settle_withdrawal.ts";

/** The mined bid's owner is paid or fails as a whole; owners that lost the nonce are dropped. */
export function settleOwners(
  view: View,
  { losers, ...verdict }: Omit<Settling, "bid"> & { losers: readonly SignedTransferRow[] },
): void {
  const { winner } = verdict;
  settleOwner(view, { ...verdict, bid: winner });
  for (const loser of losers) {
    const isSame = loser.withdrawalId === winner.withdrawalId &&
      loser.sweepId === winner.sweepId && winner.purpose !== "foreign";
    if (!isSame) settleOwner(view, { ...verdict, bid: loser });
  }
}

/** An expired transfer was never mined and never will be, as if it had not been signed. */
export function releaseOwners(
  view: View,
  { bid, owners, nowMs }: Pick<Settling, "bid" | "owners" | "nowMs">,
): void {
  const row = rowOf(view, bid);
  if (row) moveOutgoing(view, { row, trigger: "failed", nowMs });
  if (bid.withdrawalId !== null) {
    const errorMessage = "The transaction expired before any block took it";
    const step = { trigger: "expired", actor: "worker", nowMs, errorMessage } as const;
    moveWithdrawal(view, { id: bid.withdrawalId, step });
  }
  if (bid.sweepId !== null) {
    const trigger = bid.purpose === "gas_topup" ? "gas_lost" : "dropped";
    moveSweep(view, { id: bid.sweepId, trigger, deposits: sweptIn(view, bid, owners), nowMs });
  }
}

function settleOwner(view: View, settling: Settling): void {
  const { bid } = settling;
  const isDone = hasDone(settling);
  const isPaid = isDone && !hasMovedNothing(bid);
  if (isDone && !isPaid && isUndecided(view, bid)) return alertUndecided(view, settling);
  const wasPaid = settleRow(view, { ...settling, isPaid }) === "confirmed" && !isPaid;
  if (bid.withdrawalId !== null) settleWithdrawal(view, { ...settling, isPaid });
  if (bid.sweepId !== null) {
    settleSweep(view, { ...settling, isPaid, wasPaid, sweepId: bid.sweepId });
  }
}

/** Mined, and what it was signed for. */
function hasDone({ bid, winner }: Settling): boolean {
  return bid === winner && winner.isSuccessful === true &&
    winner.purpose !== "void" && winner.purpose !== "foreign";
}

/** Returns the status that its row had. */
function settleRow(
  view: View,
  { bid, winner, network, isPaid, nowMs }: Settling & { isPaid: boolean },
): TransactionRow["status"] | undefined {
  const row = rowOf(view, bid);
  if (!row) return undefined;
  const shown = isPaid ? view.update(Transactions, row, bidColumns(winner, network)) : row;
  moveOutgoing(view, { row: shown, trigger: isPaid ? "confirmed" : "failed", nowMs });
  return row.status;
}

function rowOf(view: View, { transactionId }: SignedTransferRow): TransactionRow | undefined {
  return transactionId === null ? undefined : view.find(Transactions, [transactionId]);
}

function settleSweep(
  view: View,
  { bid, winner, isPaid, wasPaid, sweepId, owners, nowMs }: Settling & {
    isPaid: boolean;
    /** It had been mined for good before, on a branch that then lost. */
    wasPaid: boolean;
    sweepId: number;
  },
): void {
  const deposits = sweptIn(view, bid, owners);
  if (wasPaid && bid.purpose === "sweep") {
    const row = view.get(Transactions, [present(bid.transactionId, "It has a row")]);
    moveOutgoing(view, { row, trigger: "undone", nowMs });
    return undoSweep(view, { deposits, nowMs });
  }
  const isReverted = bid === winner && !isPaid && winner.purpose !== "void";
  const trigger = isReverted ? "parked" : sweepTrigger(bid, isPaid);
  const fault = winner.isSuccessful ? "moved nothing" : "reverted";
  const reason = `${bid.txHash} was mined and ${fault}`;
  const why = isReverted ? { code: "failed_on_chain", reason } as const : undefined;
  moveSweep(view, { id: sweepId, trigger, deposits, why, nowMs });
  const shortfall = isPaid ? shortfallOf(winner) : undefined;
  if (shortfall === undefined) return;
  const message = `${bid.txHash} on ${bid.network} ${shortfall}`;
  insertAlert(view, { kind: "sweep_short", subject: `sweep:${sweepId}`, message, nowMs });
}

function sweepTrigger({ purpose }: SignedTransferRow, isPaid: boolean): SweepTrigger {
  if (purpose === "gas_topup") return isPaid ? "gas_arrived" : "gas_lost";
  return isPaid ? "mined" : "dropped";
}
