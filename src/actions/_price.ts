import type { PriceOptions } from "../chains/chain.ts";
import type { NetworkRow } from "../store/rows.ts";

/** What the operator would pay on this network at most. */
export function priceOf({ gasPriceMaxRaw }: NetworkRow): PriceOptions {
  return { gasPriceMaxRaw: gasPriceMaxRaw === null ? null : BigInt(gasPriceMaxRaw) };
}
