import { present } from "../base/assert.ts";
import type { SignedTransferRow, WithdrawalRow } from "../store/rows.ts";
import { SignedTransfers, Withdrawals } from "../store/tables.ts";
import { openTransferOfWithdrawal } from "../store/transfer_reads.ts";
import { read, type View } from "../store/workspace.ts";
import { moveWithdrawal, withdrawalReads, type WithdrawalStep } from "./_move_withdrawal.ts";
import { insertOutgoing } from "./_outgoing_row.ts";
import type { Deps } from "./deps.ts";

export interface Recorded {
  readonly withdrawal: WithdrawalRow;
  readonly saved: SignedTransferRow;
  readonly step: WithdrawalStep;
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

function applySent(view: View, { withdrawal, saved, step }: Recorded): WithdrawalRow {
  const transfer = present(view.find(SignedTransfers, [saved.id]), "A saved transfer stays");
  const moved = moveWithdrawal(view, {
    id: withdrawal.id,
    step: { ...step, txHash: saved.txHash },
  });
  if (!moved) return view.find(Withdrawals, [withdrawal.id])!;
  const { accountId, currency, toAddress, amount } = moved;
  const row = { accountId, currency, toAddress, amount, nowMs: step.nowMs };
  insertOutgoing(view, {
    transfer: view.update(SignedTransfers, transfer, { sentAtMs: step.nowMs }),
    row: { ...row, direction: "withdrawal" },
  });
  return moved;
}

/** The bytes are in no pool: the nonce is free for the next transfer, which also burns these bytes. */
export async function recordRejected(
  deps: Deps,
  { withdrawal, saved, step }: Recorded,
): Promise<WithdrawalRow> {
  return await deps.db.write({
    reads: [...withdrawalReads(withdrawal), read(SignedTransfers, [saved.id])],
    decide: (view) => {
      const transfer = present(view.find(SignedTransfers, [saved.id]), "A saved transfer stays");
      // Seen in a block meanwhile, or sent by somebody else too: it may be out there.
      if (transfer.blockHash !== null || transfer.sentAtMs !== null) {
        return applySent(view, { withdrawal, saved, step: { ...step, trigger: "sent" } });
      }
      const moved = moveWithdrawal(view, { id: withdrawal.id, step });
      if (!moved) return view.find(Withdrawals, [withdrawal.id])!;
      view.update(SignedTransfers, transfer, { state: "abandoned", liveNonce: null });
      return view.update(Withdrawals, moved, { transferId: null });
    },
  });
}

/** Refused only while no bytes exist; bytes that were saved in the last moment may be sent by a worker. */
export async function recordRefused(
  deps: Deps,
  withdrawal: WithdrawalRow,
  step: WithdrawalStep,
): Promise<WithdrawalRow> {
  const row = await deps.db.write({
    reads: withdrawalReads(withdrawal),
    decide: (view) => {
      const row = view.find(Withdrawals, [withdrawal.id])!;
      if (row.transferId !== null) return row;
      return moveWithdrawal(view, { id: withdrawal.id, step }) ?? row;
    },
  });
  if (row.status !== "pending") return row;
  const saved = present(await openTransferOfWithdrawal(deps.db, row.id), "Its bytes were saved");
  const { actor, nowMs } = step;
  return await recordSent(deps, {
    withdrawal: row,
    saved,
    step: { trigger: "sent", actor, nowMs },
  });
}
