import { moneyText } from "../domain/money/written.ts";
import type { Language } from "./texts/texts.ts";

/**
 * In a payer's words, with all digits unless it is rounded: parts "down" and what is missing "up".
 */
export type Price = (amount: string, rounding?: "down" | "up" | "nearest") => string;

interface Priced {
  readonly currency: string;
  /** Of the gateway, whatever it has in common with a state's money. */
  readonly isCoin: boolean;
}

export function pricesIn(language: Language, { currency, isCoin }: Priced): Price {
  // What is neither is written like a coin.
  const money = { currency, language, ...isCoin ? { isCoin } : {} };
  return (amount, rounding) => moneyText(amount, { ...money, rounding: rounding ?? "exact" });
}
