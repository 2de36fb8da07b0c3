import type { PreparedTransfer } from "../chains/transfer.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { Sweeping } from "./_sweeping.ts";

/** A sweep may cost a quarter of what it moves; below that it waits for more deposits or lower fees. */
const WORTH_TIMES_COST = 4n;

/** Always, if the currency's value is unknown. */
export function isWorthIt(
  { network, currency, amount }: Pick<Sweeping, "network" | "currency" | "amount">,
  { feeAtMostRaw }: PreparedTransfer,
): boolean {
  const native = {
    asset: assetOf({ network: network.code, currency: network.nativeSymbol }),
    decimals: network.nativeDecimals,
  };
  const rate = currency.contractAddress === null ? "1" : currency.nativeRate;
  if (rate === null) return true;
  const cost = Amount.fromRaw(feeAtMostRaw * WORTH_TIMES_COST, native);
  const worth = amount.convertedBy(rate, native.asset);
  return !worth.isLessThan(cost);
}
