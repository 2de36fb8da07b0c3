import type { CurrencyRow } from "../../networks/table.ts";

export function isFree({ feeFlat, feePercent }: CurrencyRow): boolean {
  return feeFlat === "0" && feePercent === "0";
}

/** As configured, because the resulting fee depends on the amount. */
export function feeText({ feeFlat, feePercent, symbol }: CurrencyRow): string {
  const parts = [
    feeFlat === "0" ? "" : `${feeFlat} ${symbol}`,
    feePercent === "0" ? "" : `${feePercent} %`,
  ].filter(Boolean);
  return parts.join(" + ") || "none";
}

/** What a question repeats of it. */
export const COST = "cost";

/** Written by the script that checks a payout while it is typed. */
export const PayoutCost = () => (
  <p class="hint" data-payout hidden>
    <output name={COST}>The fee is charged on top.</output>
  </p>
);
