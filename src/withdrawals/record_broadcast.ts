import { present } from "../base/assert.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";
import { openTransferOfWithdrawal } from "../transfers/reads/transfers.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { logAlert, type NewAlert } from "../books/alerts.ts";
import { moveWithdrawal, withdrawalReads, type WithdrawalStep } from "../books/move_withdrawal.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import { failingReads, type FixableCause, insertFailing } from "./failing.ts";
import type { Deps } from "../deps/deps.ts";

interface Recorded {
  readonly withdrawal: WithdrawalRow;
  readonly saved: SignedTransferRow;
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

export async function recordSent(
  deps: Deps,
  { withdrawal, saved, step }: Recorded,
): Promise<WithdrawalRow> {
  return await deps.db.write({
    reads: [...withdrawalReads(withdrawal), read(SignedTransfers, [saved.id])],
    decide: (view) => applySent(view, { withdrawal, saved, step }),
  });
}

export function applySent(view: View, { withdrawal, saved, step }: Recorded): WithdrawalRow {
  const transfer = view.get(SignedTransfers, [saved.id]);
  const moved = moveWithdrawal(view, {
    id: withdrawal.id,
    step: { ...step, txHash: saved.txHash },
  });
  if (!moved) return view.get(Withdrawals, [withdrawal.id]);
  const { accountId, currency, toAddress, amount } = moved;
  const row = { accountId, currency, toAddress, amount, nowMs: step.nowMs };
  insertOutgoing(view, {
    transfer: view.update(SignedTransfers, transfer, { sentAtMs: step.nowMs }),
    row: { ...row, direction: "withdrawal" },
  });
  return moved;
}

/** The bytes are in no pool: the next transfer uses the nonce, which also invalidates them. */
export async function recordRejected(
  deps: Deps,
  { withdrawal, saved, step, cause }: Recorded & Failed,
): Promise<WithdrawalRow> {
  const { row, alert } = await deps.db.write<Outcome>({
    reads: [...failedReads(withdrawal), read(SignedTransfers, [saved.id])],
    decide: (view) => {
      const transfer = view.get(SignedTransfers, [saved.id]);
      // Seen in a block meanwhile or sent by somebody else too, so it may be public.
      if (transfer.blockHash !== null || transfer.sentAtMs !== null) {
        return { row: applySent(view, { withdrawal, saved, step: { ...step, trigger: "sent" } }) };
      }
      const failed = applyFailed(view, { withdrawal, step, cause });
      if (!failed) return { row: view.get(Withdrawals, [withdrawal.id]) };
      view.update(SignedTransfers, transfer, { state: "abandoned", liveNonce: null });
      return { ...failed, row: view.update(Withdrawals, failed.row, { transferId: null }) };
    },
  });
  if (alert) logAlert(deps, alert);
  return row;
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
  const saved = present(await openTransferOfWithdrawal(deps.db, row.id), "Its bytes were saved");
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
