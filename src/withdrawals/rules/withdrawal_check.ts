import { PAY_OUT, type Usable } from "../../accounts/rules/usable.ts";
import { Amount } from "../../domain/money/amount.ts";
import { type RefusalCode, Refused } from "../../domain/refusal.ts";

/** Everything that decides about a withdrawal, read beforehand. */
export interface WithdrawalCheck extends Usable {
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
  const off = PAY_OUT.whyNot(check);
  if (off) return off;
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

/** With the numbers that the caller needs for the next try, if it is about the amount. */
export function refusedWithdrawal(
  code: RefusalCode,
  { amount, minimum, fee, available, decimals }:
    & Pick<WithdrawalCheck, "amount" | "minimum" | "fee" | "available">
    & { decimals: number },
): Refused {
  if (code === "amount_below_minimum") return belowMinimum({ amount, minimum, decimals });
  if (code !== "insufficient_balance") return new Refused(code);
  const sums = { amount, fee, total: amount.plus(fee), available };
  return new Refused(code, { details: shownSums(sums) });
}

/** Without a minimum, one unit of the chain is the least that can be paid. */
export function belowMinimum(
  { amount, minimum, decimals }: { amount: Amount; minimum: Amount; decimals: number },
): Refused {
  const unit = Amount.fromRaw(1n, { asset: amount.asset, decimals });
  const least = minimum.isLessThan(unit) ? unit : minimum;
  return new Refused("amount_below_minimum", { details: shownSums({ amount, minimum: least }) });
}

function shownSums(sums: Readonly<Record<string, Amount>> & { readonly amount: Amount }) {
  const texts = Object.entries(sums).map(([name, sum]) => [name, sum.toString()]);
  const [network = "", currency = ""] = sums.amount.asset.split("/");
  return { ...Object.fromEntries(texts), network, currency };
}
