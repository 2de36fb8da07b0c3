import { keysOf } from "../../base/lists.ts";
import type { LedgerKind } from "../../domain/money/balance.ts";
import type { EventType } from "../../webhooks/rules/events.ts";

/** Spec 3.4 as data. Sweeps take a deposit on from `confirmed`. */
export const DEPOSIT_MOVES = {
  detected: {
    confirmed: { to: "confirmed", ledger: "credit", event: "deposit.confirmed" },
    vanished: { to: "failed" },
  },
  confirmed: {
    sweep_started: { to: "sweep_pending" },
    vanished: { to: "failed", ledger: "reversal" },
  },
  sweep_pending: {
    swept: { to: "swept" },
    sweep_abandoned: { to: "confirmed" },
    vanished: { to: "failed", ledger: "reversal" },
  },
  swept: {
    sweep_undone: { to: "confirmed" },
    vanished: { to: "failed", ledger: "reversal" },
  },
  failed: {},
} as const satisfies Record<string, Record<string, TransactionMove>>;

/** Sweeps, gas top-ups and withdrawals. */
export const OUTGOING_MOVES = {
  detected: {
    confirmed: { to: "confirmed" },
    failed: { to: "failed" },
  },
  confirmed: {
    undone: { to: "failed" },
  },
  failed: {},
} as const satisfies Record<string, Record<string, TransactionMove>>;

export const DIRECTIONS = ["deposit", "withdrawal", "sweep", "gas_topup"] as const;
export type Direction = typeof DIRECTIONS[number];

export type TransactionStatus = keyof typeof DEPOSIT_MOVES;
export const TRANSACTION_STATUSES = keysOf(DEPOSIT_MOVES);
/** A deposit in one of these is part of its account's balance. */
export const CREDITED_STATUSES: readonly TransactionStatus[] = [
  "confirmed",
  "sweep_pending",
  "swept",
];

export type DepositTrigger =
  | "confirmed"
  | "vanished"
  | "sweep_started"
  | "swept"
  | "sweep_abandoned"
  | "sweep_undone";
export type OutgoingTrigger = "confirmed" | "failed" | "undone";

/** How a deposit changes a balance. */
type CreditKind = Extract<LedgerKind, "credit" | "reversal">;

interface TransactionMove {
  readonly to: string;
  readonly ledger?: CreditKind;
  readonly event?: EventType;
}

interface NextTransactionState {
  readonly to: TransactionStatus;
  readonly ledger?: CreditKind;
  readonly event?: EventType;
}

export function depositMove(
  from: TransactionStatus,
  trigger: DepositTrigger,
): NextTransactionState | undefined {
  const moves: Partial<Record<DepositTrigger, NextTransactionState>> = DEPOSIT_MOVES[from];
  return moves[trigger];
}

export function outgoingMove(
  from: TransactionStatus,
  trigger: OutgoingTrigger,
): NextTransactionState | undefined {
  const moves: Partial<
    Record<TransactionStatus, Partial<Record<OutgoingTrigger, NextTransactionState>>>
  > = OUTGOING_MOVES;
  return moves[from]?.[trigger];
}

/**
 * 1 for the newest block, 0 outside a block. The top may have been read a moment before the payment
 * of a newer block.
 */
export function confirmationsOf(
  topHeight: number,
  { blockNumber, blockHash }: { blockNumber: number; blockHash: string | null },
): number {
  if (blockHash === null || blockNumber === 0) return 0;
  return Math.max(1, topHeight - blockNumber + 1);
}
