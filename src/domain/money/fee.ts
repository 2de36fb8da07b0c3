import { Amount } from "./amount.ts";

interface FeeRate {
  readonly feeFlat: string;
  readonly feePercent: string;
}

/** fee = amount * (percent / 100) + flat, exact to the last digit (spec 4.6). */
export function feeOf(amount: Amount, rate: FeeRate): Amount {
  return amount.percentage(rate.feePercent).plus(Amount.ofSetting(rate.feeFlat, amount.asset));
}
