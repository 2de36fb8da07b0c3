import { Amount } from "./money/amount.ts";
import type { RefusalCode } from "./refusal.ts";

/** Everything that decides about a withdrawal, read beforehand. */
export interface WithdrawalCheck {
  readonly isNetworkActive: boolean;
  readonly isCurrencyActive: boolean;
  readonly isEnabled: boolean;
  readonly isAddress: boolean;
  /** The books are in doubt: an operator has to look first. */
  readonly isPaused: boolean;
  /** Truncated to the chain's decimals. */
  readonly amount: Amount;
  readonly minimum: Amount;
  /** Of a refund: the most that it may give back. */
  readonly room?: Amount | undefined;
  /** It is worth less than its network fee, which may be paid for a refund of all that is left. */
  readonly isDust?: boolean;
  readonly fee: Amount;
  readonly available: Amount;
  readonly isSuspended: boolean;
  /** The whole gateway, by an operator. */
  readonly isStopped: boolean;
}

/** The first refusal in the order of the contract, or none. */
export function refusalOfWithdrawal(check: WithdrawalCheck): RefusalCode | undefined {
  if (!check.isNetworkActive) return "network_not_found";
  if (!check.isCurrencyActive) return "currency_not_found";
  if (!check.isEnabled) return "withdrawals_disabled";
  if (!check.isAddress) return "invalid_address";
  if (check.amount.isZero() || check.amount.isLessThan(check.minimum)) {
    return "amount_below_minimum";
  }
  const refusal = refusalOfRefund(check);
  if (refusal) return check.isSuspended ? "account_suspended" : refusal;
  if (check.isPaused) return "currency_paused";
  if (check.available.isLessThan(check.amount.plus(check.fee))) return "insufficient_balance";
  if (check.isSuspended) return "account_suspended";
  if (check.isStopped) return "withdrawals_paused";
  return undefined;
}

function refusalOfRefund({ room, amount, isDust }: WithdrawalCheck): RefusalCode | undefined {
  if (room?.isLessThan(amount)) return "refund_too_high";
  return room && isDust && amount.isLessThan(room) ? "refund_too_small" : undefined;
}
