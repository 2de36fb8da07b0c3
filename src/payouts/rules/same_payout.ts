import { Amount } from "../../domain/money/amount.ts";

interface Payout {
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  readonly amount: string;
}

/** Whether a payout is what was asked for; more decimals than the currency has were cut off. */
export function isSamePayout(made: Payout, asked: Payout, decimals: number): boolean {
  return made.toAddress === asked.toAddress &&
    made.network.toLowerCase() === asked.network.toLowerCase() &&
    made.currency.toLowerCase() === asked.currency.toLowerCase() &&
    Amount.parse(asked.amount, "").truncatedTo(decimals).equals(Amount.parse(made.amount, ""));
}
