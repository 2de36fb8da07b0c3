import { Amount, assetOf } from "../domain/money/amount.ts";
import {
  confirmationsOf,
  depositMove,
  type DepositTrigger,
  outgoingMove,
  type OutgoingTrigger,
} from "../deposits/rules/transaction_moves.ts";
import { DEPOSIT_EVENT } from "../deposits/rules/fields.ts";
import type { EventType } from "../webhooks/rules/events.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { CREDITED, TAKEN_BACK } from "./trail.ts";
import { alertRead, closeAlert, insertAlert } from "./alerts.ts";
import { balanceRead, postEntry, recordAudit, recordEvent } from "./records.ts";

const OUTGOING_POSITION = -1;
const IN_BATCH_POSITION = -500_000_000;

/**
 * Outgoing rows are no payments to our addresses, so they get positions that no such payment has.
 * In a batch each order has its own row.
 */
export function outgoingPosition({ position }: { readonly position: number }): number {
  return position === 0 ? OUTGOING_POSITION : IN_BATCH_POSITION - position;
}

const CREDIT_ACTIONS = { credit: CREDITED, reversal: TAKEN_BACK } as const;

/** Identifies the payment on chain, which may be credited once. */
export function placeOf({ network, txHash, position }: TransactionRow): string {
  return `${network}/${txHash}/${position}`;
}

export interface DepositStep {
  readonly trigger: DepositTrigger;
  readonly topHeight: number;
  readonly nowMs: number;
}

export function depositReads(row: TransactionRow): Read[] {
  return [read(Transactions, [row.id]), balanceRead(row), read(Addresses, [row.addressId])];
}

/** One step of a deposit (spec 3.4): status, ledger entry and event together. */
export function moveDeposit(
  view: View,
  { row, step }: { row: TransactionRow; step: DepositStep },
): TransactionRow | undefined {
  const next = depositMove(row.status, step.trigger);
  if (!next) return undefined;
  const isFirst = next.to === "confirmed" && row.confirmedAtMs === null;
  const moved = view.update(Transactions, row, {
    status: next.to,
    confirmedAtMs: isFirst ? step.nowMs : row.confirmedAtMs,
    live: next.to === "failed" ? null : row.live,
  });
  if (next.ledger) {
    const amount = Amount.parse(row.amount, assetOf(row));
    const { accountId, network, currency } = row;
    const entry = { kind: next.ledger, amount, transactionId: row.id, nowMs: step.nowMs };
    postEntry(view, { accountId, network, currency, ...entry });
    recordAudit(view, {
      actor: "worker",
      action: CREDIT_ACTIONS[next.ledger],
      subject: `transaction:${row.id}`,
      detail: { from: row.status, to: next.to, amount: row.amount, place: placeOf(row) },
      nowMs: step.nowMs,
    });
  }
  if (next.event) recordDepositEvent(view, { row: moved, type: next.event, ...step });
  return moved;
}

interface TakingBack {
  readonly row: TransactionRow;
  /** Continues "was credited and". */
  readonly why: string;
  readonly topHeight: number;
  readonly nowMs: number;
}

export function takeBackReads({ id }: Pick<TransactionRow, "id">): Read[] {
  const subject = `transaction:${id}`;
  return [alertRead("deposit_reversed", subject), alertRead("deposit_orphaned", subject)];
}

/** The chain has this deposit no more. */
export function takeBack(view: View, { row, why, topHeight, nowMs }: TakingBack): void {
  const subject = `transaction:${row.id}`;
  const inNoBlock = row.blockHash === null
    ? row
    : view.update(Transactions, row, { blockHash: null });
  const step = { trigger: "vanished", topHeight, nowMs } as const;
  const moved = moveDeposit(view, { row: inNoBlock, step });
  closeAlert(view, { kind: "deposit_orphaned", subject, nowMs });
  if (!moved || row.status === "detected") return;
  insertAlert(view, {
    kind: "deposit_reversed",
    subject,
    message:
      `Deposit ${row.txHash} of ${row.amount} ${row.currency} on ${row.network} was credited and ` +
      `${why}: the credit was taken back from account ${row.accountId}`,
    nowMs,
  });
}

export function recordDepositEvent(
  view: View,
  event: { row: TransactionRow; type: EventType; topHeight: number; nowMs: number },
): void {
  const { row, type, topHeight, nowMs } = event;
  // What has left the chain is reported in any case.
  const address = view.raw.find(Addresses, [row.addressId]);
  const isOurs = address && view.isGenuine(Addresses, address);
  recordEvent(view, {
    accountId: row.accountId,
    type,
    transactionId: row.id,
    data: DEPOSIT_EVENT.of({
      ...row,
      requestId: row.depositRequestId,
      userIdentifier: isOurs ? address.userIdentifier : null,
      confirmations: confirmationsOf(topHeight, row),
    }),
    nowMs,
  });
}

export function moveOutgoing(
  view: View,
  { row, trigger, nowMs }: { row: TransactionRow; trigger: OutgoingTrigger; nowMs: number },
): TransactionRow | undefined {
  const next = outgoingMove(row.status, trigger);
  if (!next) return undefined;
  const end = next.to === "confirmed" ? { confirmedAtMs: nowMs } : { live: null };
  return view.update(Transactions, row, { status: next.to, ...end });
}
