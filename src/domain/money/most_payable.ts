import { Amount } from "./amount.ts";
import { feeOf } from "./fee.ts";

/** Finer than any balance: amounts have 36 decimals at most, and percentages have few. */
const SCALE = 120;

interface Priced {
  readonly feeFlat: string;
  readonly feePercent: string;
  /** Of the chain. */
  readonly decimals: number;
}

/** The most that can be paid while amount and fee together don't exceed what is available. */
export function mostPayable(available: Amount, currency: Priced): Amount {
  const { asset } = available;
  const flat = Amount.ofSetting(currency.feeFlat, asset);
  const left = available.minus(flat);
  if (left.isNegative() || left.isZero()) return Amount.zero(asset);
  const [, fraction = ""] = currency.feePercent.split(".");
  const whole = 100n * 10n ** BigInt(fraction.length);
  const percent = BigInt(currency.feePercent.replace(".", ""));
  const finer = 10n ** BigInt(SCALE - currency.decimals);
  const raw = left.toRaw(SCALE) * whole / ((whole + percent) * finer);
  return Amount.fromRaw(raw, { asset, decimals: currency.decimals });
}

/** What leaves the balance. */
export function costOf(amount: Amount, currency: Priced): { fee: Amount; cost: Amount } {
  const fee = feeOf(amount, currency);
  return { fee, cost: amount.plus(fee) };
}
