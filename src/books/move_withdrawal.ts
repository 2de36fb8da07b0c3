import { Amount, assetOf } from "../domain/money/amount.ts";
import { moneyText } from "../domain/money/written.ts";
import { WITHDRAWAL } from "../withdrawals/rules/fields.ts";
import {
  isUnpaid,
  type NextWithdrawalState,
  withdrawalMove,
  type WithdrawalTrigger,
} from "../withdrawals/rules/moves.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { insertNotice } from "./alerts.ts";
import { balanceRead, postEntry, recordAudit, recordEvent } from "./records.ts";
import type { Actor } from "../deps/deps.ts";

export interface WithdrawalStep {
  readonly trigger: WithdrawalTrigger;
  readonly actor: Actor;
  readonly nowMs: number;
  readonly txHash?: string;
  readonly errorMessage?: string;
}

export function withdrawalReads(row: WithdrawalRow): Read[] {
  return [read(Withdrawals, [row.id]), balanceRead(row)];
}

/**
 * One step of spec 3.1: status, ledger entry, event and audit row together. Undefined if the row
 * has moved on meanwhile, so the step isn't possible any more.
 */
export function moveWithdrawal(
  view: View,
  { id, step }: { id: number; step: WithdrawalStep },
): WithdrawalRow | undefined {
  const row = view.get(Withdrawals, [id]);
  const next = withdrawalMove(row.status, step.trigger);
  if (!next) return undefined;
  const moved = view.update(Withdrawals, row, changesOf(next, step));
  if (next.ledger) {
    const name = assetOf(row);
    const amount = Amount.parse(row.amount, name).plus(Amount.parse(row.fee, name));
    const { accountId, network, currency } = row;
    const entry = { kind: next.ledger, amount, withdrawalId: id, nowMs: step.nowMs };
    postEntry(view, { accountId, network, currency, ...entry });
  }
  if (next.event) {
    recordEvent(view, {
      accountId: row.accountId,
      type: next.event,
      data: eventData(moved, step.trigger),
      withdrawalId: id,
      nowMs: step.nowMs,
    });
  }
  if (next.to === "failed") noticeFailure(view, { row: moved, nowMs: step.nowMs });
  recordAudit(view, {
    actor: step.actor,
    action: `withdrawal.${step.trigger}`,
    subject: `withdrawal:${id}`,
    detail: { from: row.status, to: next.to },
    nowMs: step.nowMs,
  });
  return moved;
}

function changesOf(
  { to }: NextWithdrawalState,
  { trigger, txHash, errorMessage, nowMs }: WithdrawalStep,
): Partial<WithdrawalRow> {
  const changes = txHash === undefined ? { status: to } : { status: to, txHash };
  if (to === "broadcasted") return { ...changes, broadcastAtMs: nowMs };
  if (to === "confirmed") return { ...changes, confirmedAtMs: nowMs };
  if (to !== "failed") return changes;
  return { ...changes, errorMessage: errorMessage ?? trigger, failureReason: trigger };
}

function noticeFailure(view: View, { row, nowMs }: { row: WithdrawalRow; nowMs: number }): void {
  const { id, accountId, amount, currency, network, toAddress, errorMessage } = row;
  const coins = moneyText(amount, { currency, isCoin: true, rounding: "exact" });
  const title = `Payout of ${coins} failed: payout ${id} on ${network}`;
  const text = `To ${toAddress}: ${errorMessage}. The money is available again.`;
  insertNotice(view, { topic: "payouts", accountId, title, text, nowMs });
}

function eventData(row: WithdrawalRow, trigger: WithdrawalTrigger) {
  const data = WITHDRAWAL.of(row);
  return isUnpaid(row.status) ? { ...data, reason: trigger } : data;
}
