import type { PriceOptions } from "../chains/chain.ts";
import type { CurrencyRow, NetworkRow } from "../store/rows.ts";

/** What the operator would pay at most for moving this currency. */
export function priceOf(
  { gasPriceMaxRaw }: NetworkRow,
  { gasMax }: Pick<CurrencyRow, "gasMax">,
): PriceOptions {
  return {
    gasPriceMaxRaw: gasPriceMaxRaw === null ? null : BigInt(gasPriceMaxRaw),
    gasMax: gasMax === null ? null : BigInt(gasMax),
  };
}
