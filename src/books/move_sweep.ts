import type { SweepCode } from "../domain/reason_codes.ts";
import { sweepMove, type SweepTrigger } from "../sweeps/rules/sweep_moves.ts";
import type { DepositTrigger } from "../deposits/rules/transaction_moves.ts";
import { type SweepRow, Sweeps } from "../sweeps/table.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { View } from "../store/engine/workspace.ts";
import { insertAlert } from "./alerts.ts";
import { moveDeposit } from "./move_transaction.ts";

export interface SweepReason {
  readonly code: SweepCode;
  /** For people. */
  readonly reason: string;
}

interface SweepStep {
  readonly id: number;
  readonly trigger: SweepTrigger;
  /** As they are in the view. */
  readonly deposits: readonly TransactionRow[];
  /** Absent: it waits for nothing that people would have to know. */
  readonly why?: SweepReason | undefined;
  /** At once if absent. */
  readonly nextTryAtMs?: number;
  readonly nowMs: number;
}

/** Spec 3.4: pending once anything is signed for it, swept once that is final. */
const DEPOSIT_TRIGGERS: Partial<Record<SweepTrigger, DepositTrigger>> = {
  funded: "sweep_started",
  signed: "sweep_started",
  gas_lost: "sweep_abandoned",
  dropped: "sweep_abandoned",
  untried: "sweep_abandoned",
  parked: "sweep_abandoned",
  mined: "swept",
};

/** One step of a sweep and its deposits. Undefined if the step isn't possible from its state. */
export function moveSweep(view: View, step: SweepStep): SweepRow | undefined {
  const { id, trigger, deposits, why, nowMs } = step;
  const row = view.get(Sweeps, [id]);
  const state = sweepMove(row.state, trigger);
  if (!state) return undefined;
  const moved = view.update(Sweeps, row, {
    state,
    open: state === "done" ? null : 1,
    code: why?.code ?? null,
    reason: why?.reason ?? null,
    ...failuresAfter(row, step),
    nextTryAtMs: step.nextTryAtMs ?? nowMs,
  });
  followSweep(view, step);
  if (state === "done") releaseDeposits(view, { deposits, nowMs });
  if (trigger === "emptied") releaseUncredited(view, deposits);
  if (state === "parked") alertParked(view, { row: moved, nowMs });
  return moved;
}

function failuresAfter(
  { failures, batchFailures }: SweepRow,
  { trigger, why }: SweepStep,
): Pick<SweepRow, "failures" | "batchFailures"> {
  if (trigger === "retried") return { failures: 0, batchFailures: 0 };
  const isFailed = trigger !== "untried" && DEPOSIT_TRIGGERS[trigger] === "sweep_abandoned";
  const isOfBatch = why?.code === "failed_in_batch";
  return {
    failures: failures + (isFailed ? 1 : 0),
    batchFailures: batchFailures + (isOfBatch ? 1 : 0),
  };
}

function followSweep(view: View, { trigger: sweepTrigger, deposits, nowMs }: SweepStep): void {
  const trigger = DEPOSIT_TRIGGERS[sweepTrigger];
  if (!trigger) return;
  // None of these steps posts an entry or records an event, so the height doesn't matter.
  const step = { trigger, topHeight: 0, nowMs };
  for (const row of deposits) moveDeposit(view, { row, step });
}

function alertParked(view: View, { row, nowMs }: { row: SweepRow; nowMs: number }): void {
  const { id, currency, network, reason } = row;
  insertAlert(view, {
    kind: "sweep_parked",
    subject: `sweep:${id}`,
    message: `Sweep ${id} of ${currency} on ${network} is parked: ${reason}`,
    nowMs,
  });
}

/** A deep reorganisation undid the move, so the next sweep takes the deposits. */
export function undoSweep(
  view: View,
  { deposits, nowMs }: { deposits: readonly TransactionRow[]; nowMs: number },
): void {
  for (const row of deposits) {
    const step = { trigger: "sweep_undone", topHeight: 0, nowMs } as const;
    const back = moveDeposit(view, { row, step });
    if (back) view.update(Transactions, back, { sweepId: null });
  }
  releaseUncredited(view, deposits);
}

/** What was to be moved before it was credited has to be moved by another sweep once it is. */
export function releaseUncredited(view: View, deposits: readonly TransactionRow[]): void {
  for (const row of deposits.map(({ id }) => view.get(Transactions, [id]))) {
    if (row.status === "detected") view.update(Transactions, row, { sweepId: null });
  }
}

/** The next sweep takes what this one doesn't move. */
export function releaseDeposits(
  view: View,
  { deposits, nowMs }: { deposits: readonly TransactionRow[]; nowMs: number },
): void {
  for (const { id } of deposits) {
    const row = view.get(Transactions, [id]);
    const step = { trigger: "sweep_abandoned", topHeight: 0, nowMs } as const;
    const freed = moveDeposit(view, { row, step }) ?? row;
    if (freed.status === "confirmed") view.update(Transactions, freed, { sweepId: null });
  }
}
