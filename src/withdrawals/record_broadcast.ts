import { present } from "../base/assert.ts";
import { last } from "../base/lists.ts";
import { endLive, loadClaims } from "../books/claims.ts";
import { type Paying, SignedPayments, SignedTransactions } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";
import {
  openPaymentOfWithdrawal,
  paymentsOf,
  signedForWithdrawal,
} from "../transfers/reads/transfers.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { logAlert, type NewAlert } from "../books/alerts.ts";
import { moveWithdrawal, withdrawalReads, type WithdrawalStep } from "../books/move_withdrawal.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import { failingReads, type FixableCause, insertFailing } from "./failing.ts";
import type { Deps } from "../deps/deps.ts";

interface Recorded {
  readonly withdrawal: WithdrawalRow;
  readonly saved: Paying;
  readonly step: WithdrawalStep;
}

/** The withdrawal fails; `cause` is set if an operator can fix it. */
interface Failed {
  readonly withdrawal: WithdrawalRow;
  readonly step: WithdrawalStep;
  readonly cause: FixableCause | undefined;
  /** For the operator; the step's message if absent. */
  readonly reason?: string | undefined;
}

/** Bids that may be signed for what shares its bytes, while this is recorded. */
const LOOKS_MAX = 5;

/**
 * Whoever else the same bytes pay may have been bid for since they were saved: what is shown is what
 * is mined, or was signed last.
 */
export async function recordSent(
  deps: Deps,
  { withdrawal, saved, step }: Recorded,
): Promise<WithdrawalRow> {
  for (let look = 1;; look++) {
    const signed = await signedForWithdrawal(deps.db, withdrawal.id);
    const open = signed.filter(({ tx }) => tx.state === "open");
    const bids = open.length > 0 ? open : [saved];
    const row = await deps.db.write({
      reads: [...withdrawalReads(withdrawal), ...bids.flatMap(savedReads)],
      decide: (view) => {
        const { transferId } = view.get(Withdrawals, [withdrawal.id]);
        const isLatest = transferId === null || bids.some(({ tx }) => tx.id === transferId);
        if (!isLatest && look < LOOKS_MAX) return undefined;
        return applySent(view, { withdrawal, bids, step });
      },
    });
    if (row) return row;
  }
}

function savedReads({ tx, payment }: Paying): Read[] {
  return [read(SignedTransactions, [tx.id]), read(SignedPayments, [payment.id])];
}

/** All bids for it that may be mined, in the order of signing. */
export function applySent(
  view: View,
  { withdrawal, bids, step }: Omit<Recorded, "saved"> & { readonly bids: readonly Paying[] },
): WithdrawalRow {
  const now = bids.map(({ tx, payment }): Paying => ({
    tx: view.get(SignedTransactions, [tx.id]),
    payment: view.get(SignedPayments, [payment.id]),
  }));
  const { tx, payment } = now.find((bid) => bid.tx.blockHash !== null) ?? last(now);
  const moved = moveWithdrawal(view, {
    id: withdrawal.id,
    step: { ...step, txHash: tx.txHash },
  });
  if (!moved) return view.get(Withdrawals, [withdrawal.id]);
  const { accountId, currency, toAddress, amount } = moved;
  const row = { accountId, currency, toAddress, amount, nowMs: step.nowMs };
  const { id: transactionId } = insertOutgoing(view, {
    tx: view.update(SignedTransactions, tx, { sentAtMs: step.nowMs }),
    payment,
    row: { ...row, direction: "withdrawal" },
  });
  // Any of them may be mined, and is the same row then.
  for (const bid of now) {
    if (bid.payment.id !== payment.id) view.update(SignedPayments, bid.payment, { transactionId });
  }
  return moved;
}

/**
 * The bytes are in no pool: the next transaction takes their place, which also invalidates them. All
 * that they would have paid fails in one unit, or whoever comes later would find no bytes to send.
 */
export async function recordRejected(
  deps: Deps,
  { withdrawal, saved, step, cause }: Recorded & Failed,
): Promise<WithdrawalRow> {
  const [claimed, others] = await Promise.all([
    loadClaims(deps.db, [saved.tx]),
    paidTogether(deps, saved),
  ]);
  const all = [withdrawal, ...others];
  const outcome = await deps.db.write<Outcome | undefined>({
    reads: [...all.flatMap(failedReads), ...savedReads(saved), ...claimed.reads],
    decide: (view) => {
      const tx = view.get(SignedTransactions, [saved.tx.id]);
      // Seen in a block meanwhile or sent by somebody else too, so it may be public.
      if (tx.blockHash !== null || tx.sentAtMs !== null) return undefined;
      const failed = all.map((one) => applyFailed(view, { withdrawal: one, step, cause }));
      const [own] = failed;
      if (!own) return { row: view.get(Withdrawals, [withdrawal.id]) };
      endLive(view, { tx, claimed, patch: { state: "abandoned" } });
      const rows = failed.map((one) =>
        one && view.update(Withdrawals, one.row, { transferId: null })
      );
      return { ...own, row: present(rows[0], "It has failed") };
    },
  });
  if (!outcome) {
    const { actor, nowMs } = step;
    return await recordSent(deps, { withdrawal, saved, step: { trigger: "sent", actor, nowMs } });
  }
  if (outcome.alert) logAlert(deps, outcome.alert);
  return outcome.row;
}

/** The other withdrawals that the same bytes pay. */
async function paidTogether({ db }: Deps, { tx, payment }: Paying): Promise<WithdrawalRow[]> {
  if (tx.paymentCount === 1) return [];
  const payments = (await paymentsOf(db, [tx])).get(tx.id) ?? [];
  const ids = payments.flatMap(({ id, withdrawalId }) =>
    id === payment.id || withdrawalId === null ? [] : [withdrawalId]
  );
  return await Promise.all(ids.map((id) => db.get(Withdrawals, [id])));
}

/** Fails it only while nothing is signed; bytes saved at the last moment may be sent by a worker. */
export async function recordRefused(deps: Deps, failed: Failed): Promise<WithdrawalRow> {
  const { withdrawal, step } = failed;
  const { row, alert } = await deps.db.write<Outcome>({
    reads: failedReads(withdrawal),
    decide: (view) => {
      const row = view.get(Withdrawals, [withdrawal.id]);
      return row.transferId !== null ? { row } : applyFailed(view, failed) ?? { row };
    },
  });
  if (alert) logAlert(deps, alert);
  if (row.status !== "pending") return row;
  const saved = present(await openPaymentOfWithdrawal(deps.db, row.id), "Its bytes were saved");
  const { actor, nowMs } = step;
  return await recordSent(deps, {
    withdrawal: row,
    saved,
    step: { trigger: "sent", actor, nowMs },
  });
}

interface Outcome {
  readonly row: WithdrawalRow;
  /** Only if it is new. */
  readonly alert?: NewAlert | undefined;
}

function failedReads(withdrawal: WithdrawalRow): Read[] {
  return [...withdrawalReads(withdrawal), ...failingReads(withdrawal)];
}

function applyFailed(view: View, failed: Failed): Outcome | undefined {
  const { withdrawal, step, cause } = failed;
  const row = moveWithdrawal(view, { id: withdrawal.id, step });
  if (!row) return undefined;
  const reason = failed.reason ?? step.errorMessage ?? step.trigger;
  const { nowMs } = step;
  return {
    row,
    alert: cause && insertFailing(view, { withdrawal, cause, reason, nowMs }),
  };
}
