import { gasPriceMax } from "./fees.ts";
import type { GasMarket } from "./gas_market.ts";
import { opStackFeeMax } from "./op_stack_fee.ts";
import { reverts, type Trial } from "./trial.ts";
import { type EvmDetail, signedBytesMax } from "./unsigned.ts";

export function withinBlock(trial: Trial, { blockGasLimit }: GasMarket): Trial {
  if (trial.kind === "refused" || trial.gas <= blockGasLimit) return trial;
  return reverts(`it needs ${trial.gas} gas, a block has ${blockGasLimit}`);
}

/** A fifth more: what is called may have changed until it is mined. */
export function withMargin(gas: bigint, { blockGasLimit }: GasMarket): bigint {
  const more = (gas * 6n + 4n) / 5n;
  return more < blockGasLimit ? more : blockGasLimit;
}

export function feeMax(detail: EvmDetail, { opStack }: GasMarket): bigint {
  const gasFeeRaw = detail.gas * gasPriceMax(detail.fee);
  if (opStack === null) return gasFeeRaw;
  const size = { gas: detail.gas, signedBytes: signedBytesMax(detail) };
  return gasFeeRaw + opStackFeeMax(opStack, size);
}
