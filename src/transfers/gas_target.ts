import { Amount, assetOf } from "../domain/money/amount.ts";
import type { NetworkRow } from "../networks/table.ts";

/** The native coin that the operator wants in each hot wallet, in base units. */
export function gasTargetOf(
  { code, nativeSymbol, nativeDecimals, hotGasTarget }: NetworkRow,
): bigint {
  const asset = assetOf({ network: code, currency: nativeSymbol });
  return Amount.parse(hotGasTarget, asset).truncatedTo(nativeDecimals).toRaw(nativeDecimals);
}
