import { refuse } from "../domain/refusals/refuse.ts";
import { type Paying, SignedPayments, SignedTransactions } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { settledPaymentOfWithdrawal } from "../transfers/reads/transfers.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { hasMovedNothing } from "../books/arrival.ts";
import { moveOutgoing } from "../books/move_transaction.ts";
import { moveWithdrawal, withdrawalReads } from "../books/move_withdrawal.ts";
import type { Actor, Deps } from "../deps/deps.ts";

interface SettleOrder {
  readonly id: number;
  readonly isPaid: boolean;
  readonly actor: Actor;
}

/** Mined for good, but its token logged no payment. */
export function isInDoubt({ tx, payment }: Paying): boolean {
  return tx.state === "settled" && hasMovedNothing(payment);
}

/**
 * For a withdrawal that was mined without its token logging a payment: an operator has checked the
 * recipient, and it is debited or released.
 */
export async function settleByHand(deps: Deps, order: SettleOrder): Promise<WithdrawalRow> {
  const { id } = order;
  const row = await deps.db.find(Withdrawals, [id]);
  if (!row) throw refuse("withdrawal_unknown", { id });
  const paying = await settledPaymentOfWithdrawal(deps.db, id);
  if (row.status !== "broadcasted" || !paying || !hasMovedNothing(paying.payment)) {
    throw refuse("withdrawal_not_in_doubt", { id, status: row.status });
  }
  const { tx, payment } = paying;
  return await deps.db.write({
    reads: [
      ...withdrawalReads(row),
      read(SignedTransactions, [tx.id]),
      read(SignedPayments, [payment.id]),
      ...payment.transactionId === null ? [] : [read(Transactions, [payment.transactionId])],
      alertRead("withdrawal_unpaid", `withdrawal:${id}`),
    ],
    decide: (view) => settle(view, { ...order, ...paying }),
  });
}

function settle(
  view: View,
  { id, isPaid, actor, tx, payment }: SettleOrder & Paying,
): WithdrawalRow {
  const { nowMs } = view;
  const current = view.get(SignedTransactions, [tx.id]);
  const step = {
    trigger: isPaid ? "confirmed" : "reverted",
    actor,
    nowMs,
    errorMessage: "The token moved nothing",
  } as const;
  // After a reorganisation in between, the chain decides again.
  const moved = current.state === "settled" ? moveWithdrawal(view, { id, step }) : undefined;
  if (!moved) throw refuse("withdrawal_changed", { id });
  // What was released must not be sent again, whatever the chain does.
  const paid = view.get(SignedPayments, [payment.id]);
  if (!isPaid) view.update(SignedPayments, paid, { isSuccessful: false });
  const { transactionId } = paid;
  const shown = transactionId === null ? undefined : view.find(Transactions, [transactionId]);
  if (shown) moveOutgoing(view, { row: shown, trigger: isPaid ? "confirmed" : "failed", nowMs });
  closeAlert(view, { kind: "withdrawal_unpaid", subject: `withdrawal:${id}`, nowMs });
  return moved;
}
