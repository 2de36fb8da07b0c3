import { NEEDS_MORE_GAS, type Refused } from "../chain.ts";
import { gasPriceMax } from "./fees.ts";
import type { GasMarket } from "./gas_market.ts";
import { opStackFeeMax } from "./op_stack_fee.ts";
import { reverts, type Trial } from "./trial.ts";
import { type EvmDetail, signedBytesMax } from "./unsigned.ts";

/** How much of it may be signed for, or why none. */
export function gasFor(
  trial: Extract<Trial, { kind: "passed" }>,
  { blockGasLimit, gasMax }: { blockGasLimit: bigint; gasMax: bigint | null | undefined },
): { readonly kind: "gas"; readonly gas: bigint } | Refused {
  const { gas, baseGas } = trial;
  const allowed = gasMax === null || gasMax === undefined ? undefined : baseGas + gasMax;
  if (allowed !== undefined && gas > allowed) return reverts(NEEDS_MORE_GAS);
  if (gas > blockGasLimit) return reverts(`it needs ${gas} gas, a block has ${blockGasLimit}`);
  const limits = [withMargin(gas), blockGasLimit, ...allowed === undefined ? [] : [allowed]];
  return { kind: "gas", gas: limits.reduce((a, b) => a < b ? a : b) };
}

/** A fifth more: what is called may have changed until it is mined. */
function withMargin(gas: bigint): bigint {
  return (gas * 6n + 4n) / 5n;
}

export function feeMax(detail: EvmDetail, { opStack }: GasMarket): bigint {
  const gasFeeRaw = detail.gas * gasPriceMax(detail.fee);
  if (opStack === null) return gasFeeRaw;
  const size = { gas: detail.gas, signedBytes: signedBytesMax(detail) };
  return gasFeeRaw + opStackFeeMax(opStack, size);
}
