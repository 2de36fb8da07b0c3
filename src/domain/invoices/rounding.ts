import { Amount } from "../money/amount.ts";
import { coinsFor, type Method } from "./judge.ts";

export const DIGITS = { min: 2, max: 18 };
/** Fewer digits never cost the payer more than this. */
const ADDED_PERCENT_MAX = "1";

/** Fewer decimals are easier to type: as few as asked for, unless they add much to the amount. */
export function decimalsShown(
  amount: string,
  { invoiceCurrency, method, digits }: {
    invoiceCurrency: string;
    method: Method;
    digits: number | null;
  },
): number {
  const { decimals: all } = method;
  if (digits === null || digits >= all) return all;
  const coins = (decimals: number) =>
    Amount.parse(coinsFor(amount, { invoiceCurrency, method: { ...method, decimals } }), "");
  const exact = coins(all);
  const most = exact.plus(exact.percentage(ADDED_PERCENT_MAX));
  let decimals = digits;
  while (decimals < all && most.isLessThan(coins(decimals))) decimals++;
  return decimals;
}
