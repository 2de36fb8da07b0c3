import type { CurrencyRow } from "../../store/tables/setup.ts";

/** As it is set: what it comes to depends on the amount. */
export function feeText({ feeFlat, feePercent, symbol }: CurrencyRow): string {
  const parts = [
    feeFlat === "0" ? "" : `${feeFlat} ${symbol}`,
    feePercent === "0" ? "" : `${feePercent} %`,
  ].filter(Boolean);
  return parts.join(" + ") || "none";
}
