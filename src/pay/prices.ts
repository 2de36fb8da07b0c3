import { fiatText, isFiat } from "../domain/money/written.ts";
import type { Language } from "./texts/texts.ts";

/** In a payer's words. Parts are rounded "down" and what is missing "up", if it isn't in coins. */
export type Price = (amount: string, rounding?: "down" | "up") => string;

interface Priced {
  readonly currency: string;
  /** Of the gateway, whatever it has in common with a state's money: all digits count. */
  readonly isCoin: boolean;
}

export function pricesIn(language: Language, { currency, isCoin }: Priced): Price {
  if (isCoin || !isFiat(currency)) return (amount) => `${amount} ${currency}`;
  return (amount, rounding) =>
    fiatText(amount, { code: currency, language, rounding: rounding ?? "exact" });
}
