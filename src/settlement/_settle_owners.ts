import { present } from "../base/assert.ts";
import { closeAlert, insertAlert, type NewAlert } from "../books/alerts.ts";
import { hasMovedNothing, shortfallOf } from "../books/arrival.ts";
import { moveSweep, undoSweep } from "../books/move_sweep.ts";
import { moveOutgoing } from "../books/move_transaction.ts";
import { moveWithdrawal, type WithdrawalStep } from "../books/move_withdrawal.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { type Settling, sweptIn } from "./_owners.ts";
import type { View } from "../store/engine/workspace.ts";
import type { SweepTrigger } from "../sweeps/rules/sweep_moves.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

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

/** Only an operator can tell whether it is paid, so it is neither debited nor released automatically. */
function isUndecided(view: View, { withdrawalId }: SignedTransferRow): boolean {
  if (withdrawalId === null) return false;
  return view.get(Withdrawals, [withdrawalId]).status === "broadcasted";
}

function alertUndecided(view: View, { bid, nowMs }: Settling): void {
  const id = present(bid.withdrawalId, "The bid is a withdrawal's");
  const { accountId } = view.get(Withdrawals, [id]);
  insertAlert(view, {
    kind: "withdrawal_unpaid",
    accountId,
    subject: `withdrawal:${id}`,
    message: `${bid.txHash} on ${bid.network} was mined, but its token logged no payment to ` +
      bid.toAddress,
    advice: { code: "settle_withdrawal", withdrawalId: id },
    nowMs,
  });
}

function settleWithdrawal(
  view: View,
  { bid, winner, isPaid, nowMs }: Settling & { isPaid: boolean },
): void {
  const id = present(bid.withdrawalId, "The bid is a withdrawal's");
  const { status, accountId } = view.get(Withdrawals, [id]);
  const moved = moveWithdrawal(view, { id, step: stepOf({ bid, winner, isPaid, nowMs }) });
  const ended = moved ? undefined : status;
  if (moved) closeAlert(view, { kind: "withdrawal_unpaid", subject: `withdrawal:${id}`, nowMs });
  const alert = alertFor({ bid, winner, isPaid, ended });
  if (alert) insertAlert(view, { ...alert, accountId, nowMs });
}

type Bids = Pick<Settling, "bid" | "winner"> & { readonly isPaid: boolean };

function stepOf(
  { bid, winner, isPaid, nowMs }: Bids & { nowMs: number },
): WithdrawalStep {
  const by = { actor: "worker", nowMs } as const;
  // A later bid, which lost, may be the one shown.
  const { txHash } = winner;
  if (isPaid) return { ...by, trigger: "confirmed", txHash };
  if (bid === winner && winner.purpose === "withdrawal") {
    const errorMessage = "The transaction was mined and reverted";
    return { ...by, trigger: "reverted", errorMessage, txHash };
  }
  const errorMessage = winner.purpose === "void"
    ? "An empty transaction took its place"
    : "Another transaction of the hot wallet took its nonce";
  return { ...by, trigger: "dropped", errorMessage };
}

interface Ending extends Bids {
  /** Its final status, if it had already ended; undefined: it ends now. */
  readonly ended: WithdrawalRow["status"] | undefined;
}

function alertFor(ending: Ending): NewAlert | undefined {
  const { bid, winner, isPaid, ended } = ending;
  const subject = `withdrawal:${bid.withdrawalId}`;
  const what = `${bid.txHash} on ${bid.network}`;
  if (!ended && !isPaid && winner.purpose !== "void" && bid !== winner) {
    return {
      kind: "withdrawal_dropped",
      subject,
      message: `${what} lost its nonce ${bid.nonce} to another transaction`,
    };
  }
  if (bid !== winner || winner.purpose !== "withdrawal") return undefined;
  const fault = faultOf(ending);
  if (fault === undefined) return undefined;
  return { kind: "withdrawal_unpaid", subject, message: `${what} ${fault}` };
}

/** What had ended before the chain changed is not booked again automatically. */
function faultOf({ winner, isPaid, ended }: Ending): string | undefined {
  if (isPaid && ended !== undefined && ended !== "confirmed") {
    return `paid a withdrawal that had ${ended} before: it is not debited`;
  }
  if (!isPaid && ended === "confirmed") {
    return "moved nothing after its withdrawal had confirmed: it is debited and not paid";
  }
  return isPaid && !ended ? shortfallOf(winner) : undefined;
}
