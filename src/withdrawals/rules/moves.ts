import { keysOf } from "../../base/lists.ts";
import type { LedgerKind } from "../../domain/money/balance.ts";
import type { EventType } from "../../webhooks/rules/events.ts";

/** Spec 3.1 as data: state → trigger → what happens, all of it in one transaction. */
export const WITHDRAWAL_MOVES = {
  pending: {
    sent: { to: "broadcasted", event: "withdrawal.broadcasted" },
    broadcast_rejected: { to: "failed", ledger: "release", event: "withdrawal.failed" },
    no_hot_wallet: { to: "failed", ledger: "release", event: "withdrawal.failed" },
    cancelled: { to: "cancelled", ledger: "release", event: "withdrawal.cancelled" },
    rejected: { to: "cancelled", ledger: "release", event: "withdrawal.cancelled" },
    expired: { to: "cancelled", ledger: "release", event: "withdrawal.cancelled" },
  },
  broadcasted: {
    confirmed: { to: "confirmed", ledger: "debit", event: "withdrawal.confirmed" },
    dropped: { to: "failed", ledger: "release", event: "withdrawal.failed" },
    reverted: { to: "failed", ledger: "release", event: "withdrawal.failed" },
    expired: { to: "failed", ledger: "release", event: "withdrawal.failed" },
  },
  confirmed: {},
  failed: {},
  cancelled: {},
} as const satisfies Record<string, Record<string, WithdrawalMove>>;

export type WithdrawalStatus = keyof typeof WITHDRAWAL_MOVES;

export type WithdrawalTrigger = {
  [From in WithdrawalStatus]: keyof typeof WITHDRAWAL_MOVES[From];
}[WithdrawalStatus];

interface WithdrawalMove {
  readonly to: string;
  readonly ledger?: LedgerKind;
  readonly event?: EventType;
}

export interface NextWithdrawalState {
  readonly to: WithdrawalStatus;
  readonly ledger?: LedgerKind;
  readonly event?: EventType;
}

/** Undefined if the table has no such step. */
export function withdrawalMove(
  from: WithdrawalStatus,
  trigger: WithdrawalTrigger,
): NextWithdrawalState | undefined {
  return movesFrom(from)[trigger];
}

function movesFrom(
  from: WithdrawalStatus,
): Partial<Record<WithdrawalTrigger, NextWithdrawalState>> {
  return WITHDRAWAL_MOVES[from];
}

export const WITHDRAWAL_STATUSES = keysOf(WITHDRAWAL_MOVES);

const ALL_MOVES = WITHDRAWAL_STATUSES.flatMap((from) => {
  const moves = movesFrom(from);
  return keysOf(moves).map((trigger) => ({ trigger, ...moves[trigger] }));
});

/** Why withdrawals fail. */
export const FAILURE_REASONS = ALL_MOVES.filter(({ to }) => to === "failed").map(({ trigger }) =>
  trigger
);

/** Their amounts are held. */
export const OPEN_WITHDRAWAL_STATUSES = WITHDRAWAL_STATUSES.filter(isOpen);

/** Something can still happen to it. */
export function isOpen(status: WithdrawalStatus): boolean {
  return Object.keys(WITHDRAWAL_MOVES[status]).length > 0;
}

/** Over, and its amount is the account's again. */
export function isUnpaid(status: string): boolean {
  return ALL_MOVES.some(({ to, ledger }) => to === status && ledger === "release");
}
