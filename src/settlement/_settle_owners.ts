import { present } from "../base/assert.ts";
import { closeAlert, insertAlert, type NewAlert } from "../books/alerts.ts";
import { hasMovedNothing, shortfallOf } from "../books/arrival.ts";
import {
  moveSweep,
  releaseDeposits,
  releaseUncredited,
  type SweepReason,
  undoSweep,
} from "../books/move_sweep.ts";
import { moveOutgoing } from "../books/move_transaction.ts";
import { moveWithdrawal, type WithdrawalStep } from "../books/move_withdrawal.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { outpointOf } from "../domain/outpoint.ts";
import { hasOutputs } from "../networks/fitting.ts";
import { isHeldBy, type Settling, sweptIn } from "./_owners.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { View } from "../store/engine/workspace.ts";
import type { SweepState, SweepTrigger } from "../sweeps/rules/sweep_moves.ts";
import { Sweeps } from "../sweeps/table.ts";
import {
  type Paying,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
} from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/**
 * The mined bid's owners are paid or fail; those that lost their claims are dropped, unless something
 * else may still be mined for them. Of a batch, an owner with a row that isn't genuine delays no other:
 * returns what was found, for the operator.
 */
export function settleOwners(
  view: View,
  { losers, beside, ...verdict }: Pick<Settling, "network" | "winner" | "owners" | "nowMs"> & {
    losers: readonly Signed[];
    /** What isn't a bid for the same claims, and may be mined for the same owners. */
    beside: readonly Paying[];
  },
): readonly TamperedRow[] {
  const { tx, payments } = verdict.winner;
  // What was left before is settled by itself.
  const due = payments.filter(({ unsettled }) => unsettled === null);
  const faults = due.map((payment) => {
    const settling = { ...verdict, tx, payment, isMined: true };
    const fault = payments.length > 1 ? faultOfOwner(view, settling) : undefined;
    if (fault) view.update(SignedPayments, payment, { unsettled: "tampered" });
    else settleOwner(view, settling);
    return fault;
  });
  const isSame = (lost: SignedPaymentRow) =>
    payments.some(({ withdrawalId, sweepId }) =>
      withdrawalId === lost.withdrawalId && sweepId === lost.sweepId
    );
  for (const row of losers.flatMap((loser) => loser.payments)) {
    if (row.unsettled !== null) view.update(SignedPayments, row, { unsettled: null });
  }
  for (const loser of losers) {
    const lost = loser.payments.filter((one) => !isSame(one) && !isHeldBy(beside, one));
    for (const payment of lost) {
      settleOwner(view, { ...verdict, tx: loser.tx, payment, isMined: false });
    }
  }
  return faults.filter((fault) => fault !== undefined);
}

/** The first row of a sweep that isn't genuine, of those that settling it reads. */
function faultOfOwner(
  view: View,
  { payment, owners }: Pick<Settling, "payment" | "owners">,
): TamperedRow | undefined {
  if (payment.sweepId === null) return undefined;
  try {
    rowOf(view, payment);
    view.get(Sweeps, [payment.sweepId]);
    sweptIn(view, payment, owners);
    return undefined;
  } catch (error) {
    if (error instanceof TamperedRow) return error;
    throw error;
  }
}

/** An expired transaction was never mined and never will be, as if it had not been signed. */
export function releaseOwner(
  view: View,
  { payment, owners, nowMs }: Pick<Settling, "payment" | "owners" | "nowMs">,
): void {
  const row = rowOf(view, payment);
  if (row) moveOutgoing(view, { row, trigger: "failed", nowMs });
  if (payment.withdrawalId !== null) {
    const errorMessage = "The transaction expired before any block took it";
    const step = { trigger: "expired", actor: "worker", nowMs, errorMessage } as const;
    moveWithdrawal(view, { id: payment.withdrawalId, step });
  }
  if (payment.sweepId !== null) {
    const trigger = payment.purpose === "gas_topup" ? "gas_lost" : "dropped";
    const deposits = sweptIn(view, payment, owners);
    moveSweep(view, { id: payment.sweepId, trigger, deposits, nowMs });
  }
}

export function settleOwner(view: View, settling: Settling): void {
  const { payment } = settling;
  const isDone = hasDone(settling);
  const isPaid = isDone && !hasMovedNothing(payment);
  if (isDone && !isPaid && isUndecided(view, payment)) return alertUndecided(view, settling);
  const wasPaid = settleRow(view, { ...settling, isPaid }) === "confirmed" && !isPaid;
  if (payment.withdrawalId !== null) settleWithdrawal(view, { ...settling, isPaid });
  if (payment.sweepId !== null) {
    settleSweep(view, { ...settling, isPaid, wasPaid, sweepId: payment.sweepId });
  }
}

/** Mined, and what it was signed for. */
function hasDone({ payment: { isSuccessful, purpose }, isMined }: Settling): boolean {
  return isMined && isSuccessful === true && purpose !== "void";
}

/** Returns the status that its row had. */
function settleRow(
  view: View,
  { tx, payment, network, isPaid, nowMs }: Settling & { isPaid: boolean },
): TransactionRow["status"] | undefined {
  const row = rowOf(view, payment);
  if (!row) return undefined;
  const shown = isPaid ? view.update(Transactions, row, bidColumns({ tx, payment }, network)) : row;
  moveOutgoing(view, { row: shown, trigger: isPaid ? "confirmed" : "failed", nowMs });
  return row.status;
}

function rowOf(view: View, { transactionId }: SignedPaymentRow): TransactionRow | undefined {
  return transactionId === null ? undefined : view.find(Transactions, [transactionId]);
}

function settleSweep(
  view: View,
  { tx, payment, network, isMined, isPaid, wasPaid, sweepId, owners, nowMs }: Settling & {
    isPaid: boolean;
    /** It had been mined for good before, on a branch that then lost. */
    wasPaid: boolean;
    sweepId: number;
  },
): void {
  const deposits = sweptIn(view, payment, owners);
  if (wasPaid && payment.purpose === "sweep") {
    const row = view.get(Transactions, [present(payment.transactionId, "It has a row")]);
    moveOutgoing(view, { row, trigger: "undone", nowMs });
    return undoSweep(view, { deposits, nowMs });
  }
  const { state } = view.get(Sweeps, [sweepId]);
  const end = endOfSweep({ tx, payment, isMined, isPaid, state });
  const settled = { tx, payment, network, owners, deposits };
  const moved = isPaid && state === "sweeping" ? movedBy(view, settled) : deposits;
  const left = deposits.filter((row) => !moved.includes(row));
  releaseDeposits(view, { deposits: left, nowMs });
  releaseUncredited(view, left);
  moveSweep(view, { id: sweepId, ...end, deposits: moved, nowMs });
  const shortfall = isPaid ? shortfallOf(payment) : undefined;
  if (shortfall === undefined) return;
  const message = `${tx.txHash} on ${tx.network} ${shortfall}`;
  insertAlert(view, { kind: "sweep_short", subject: `sweep:${sweepId}`, message, nowMs });
}

/**
 * Of a sweep's deposits, those that were in this transaction. Others are there if a deep
 * reorganisation lets one be mined that had been given up, after the sweep was signed for again. The
 * next sweep takes them.
 */
function movedBy(
  view: View,
  { tx, payment, network, owners, deposits }:
    & Pick<Settling, "tx" | "payment" | "network" | "owners">
    & { deposits: readonly TransactionRow[] },
): readonly TransactionRow[] {
  if (hasOutputs(network)) {
    const spent = owners.spentBy.get(tx.id);
    return deposits.filter((row) => spent?.has(outpointOf(row)));
  }
  const isCollected = payment.fromAddress !== tx.sender;
  if (!isCollected || !owners.signedAgain.has(payment.sweepId ?? 0)) return deposits;
  const sent = view.get(Transactions, [present(payment.transactionId, "It has a row")]);
  let left = Amount.parse(sent.amount, assetOf(sent));
  return deposits.filter(({ status }) => status === "sweep_pending").filter((row) => {
    const amount = Amount.parse(row.amount, assetOf(row));
    if (left.isLessThan(amount)) return false;
    left = left.minus(amount);
    return true;
  });
}

function endOfSweep(
  { tx, payment, isMined, isPaid, state }: Pick<Settling, "tx" | "payment" | "isMined"> & {
    isPaid: boolean;
    state: SweepState;
  },
): { readonly trigger: SweepTrigger; readonly why?: SweepReason } {
  const { purpose, isSuccessful } = payment;
  // What the gas wallet was to do for it: send it gas, or collect it with others.
  if (purpose === "void") return { trigger: state === "funding" ? "gas_lost" : "untried" };
  const isCollected = payment.fromAddress !== tx.sender;
  if (isCollected && isSuccessful === null) return { trigger: "untried" };
  if (isPaid || !isMined) return { trigger: sweepTrigger(payment, isPaid) };
  const reasonOf = (fault: string) => `${tx.txHash} was mined and ${fault}`;
  if (isCollected && !isSuccessful) {
    const why = { code: "failed_in_batch", reason: reasonOf("its order failed") } as const;
    return { trigger: "dropped", why };
  }
  const fault = isSuccessful ? "moved nothing" : "reverted";
  return { trigger: "parked", why: { code: "failed_on_chain", reason: reasonOf(fault) } };
}

function sweepTrigger({ purpose }: SignedPaymentRow, isPaid: boolean): SweepTrigger {
  if (purpose === "gas_topup") return isPaid ? "gas_arrived" : "gas_lost";
  return isPaid ? "mined" : "dropped";
}

/** Only an operator can tell whether it is paid, so it is neither debited nor released automatically. */
function isUndecided(view: View, { withdrawalId }: SignedPaymentRow): boolean {
  if (withdrawalId === null) return false;
  return view.get(Withdrawals, [withdrawalId]).status === "broadcasted";
}

function alertUndecided(view: View, { tx, payment, nowMs }: Settling): void {
  const id = present(payment.withdrawalId, "The payment is a withdrawal's");
  const { accountId } = view.get(Withdrawals, [id]);
  insertAlert(view, {
    kind: "withdrawal_unpaid",
    accountId,
    subject: `withdrawal:${id}`,
    message: `${tx.txHash} on ${tx.network} was mined, but its token logged no payment to ` +
      payment.toAddress,
    advice: { code: "settle_withdrawal", withdrawalId: id },
    nowMs,
  });
}

function settleWithdrawal(view: View, settling: Settling & { isPaid: boolean }): void {
  const { payment, nowMs } = settling;
  const id = present(payment.withdrawalId, "The payment is a withdrawal's");
  const { status, accountId } = view.get(Withdrawals, [id]);
  const moved = moveWithdrawal(view, { id, step: stepOf(settling) });
  const ended = moved ? undefined : status;
  if (moved) closeAlert(view, { kind: "withdrawal_unpaid", subject: `withdrawal:${id}`, nowMs });
  const alert = alertFor({ ...settling, ended });
  if (alert) insertAlert(view, { ...alert, accountId, nowMs });
}

type Bids = Pick<Settling, "tx" | "payment" | "winner" | "isMined"> & { readonly isPaid: boolean };

function isVoid({ payments }: Signed): boolean {
  return payments.some(({ purpose }) => purpose === "void");
}

function stepOf(
  { payment, winner, isMined, isPaid, nowMs }: Bids & { nowMs: number },
): WithdrawalStep {
  const by = { actor: "worker", nowMs } as const;
  // A later bid, which lost, may be the one shown.
  const { txHash } = winner.tx;
  if (isPaid) return { ...by, trigger: "confirmed", txHash };
  if (isMined && payment.purpose === "withdrawal") {
    const errorMessage = "The transaction was mined and reverted";
    return { ...by, trigger: "reverted", errorMessage, txHash };
  }
  const errorMessage = isVoid(winner)
    ? "An empty transaction took its place"
    : "Another transaction of the hot wallet took its nonce";
  return { ...by, trigger: "dropped", errorMessage };
}

interface Ending extends Bids {
  /** Its final status, if it had already ended; undefined: it ends now. */
  readonly ended: WithdrawalRow["status"] | undefined;
}

function alertFor(ending: Ending): NewAlert | undefined {
  const { tx, payment, winner, isMined, isPaid, ended } = ending;
  const subject = `withdrawal:${payment.withdrawalId}`;
  const what = `${tx.txHash} on ${tx.network}`;
  if (!ended && !isPaid && !isMined && !isVoid(winner)) {
    return {
      kind: "withdrawal_dropped",
      subject,
      message: `${what} lost its nonce ${tx.place} to another transaction`,
    };
  }
  if (!isMined || payment.purpose !== "withdrawal") return undefined;
  const fault = faultOf(ending);
  if (fault === undefined) return undefined;
  return { kind: "withdrawal_unpaid", subject, message: `${what} ${fault}` };
}

/** What had ended before the chain changed is not booked again automatically. */
function faultOf({ payment, isPaid, ended }: Ending): string | undefined {
  if (isPaid && ended !== undefined && ended !== "confirmed") {
    return `paid a withdrawal that had ${ended} before: it is not debited`;
  }
  if (!isPaid && ended === "confirmed") {
    return "moved nothing after its withdrawal had confirmed: it is debited and not paid";
  }
  return isPaid && !ended ? shortfallOf(payment) : undefined;
}
