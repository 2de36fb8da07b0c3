import { NEEDS_MORE_GAS, type Refused } from "../../chain.ts";
import { present } from "../../../base/assert.ts";
import { aboveFeeMax, type Charge, type PriceOptions } from "../../price.ts";
import { type Fee, gasPriceMax, priceGas, priceLeast } from "./fees.ts";
import type { GasMarket } from "./gas_market.ts";
import { opStackFeeMax } from "./op_stack_fee.ts";
import { reverts, type Trial } from "./trial.ts";
import { type EvmDetail, signedBytesMax } from "./unsigned.ts";

/** How much of it may be signed for, or why none. */
export function gasFor(
  trial: Extract<Trial, { kind: "passed" }>,
  { blockGasLimit, gasMax }: { blockGasLimit: bigint; gasMax: bigint | null | undefined },
): { readonly kind: "gas"; readonly gas: bigint } | Refused {
  const { gas, newHolderGas = gas, baseGas } = trial;
  const allowed = gasMax === null || gasMax === undefined ? undefined : baseGas + gasMax;
  if (allowed !== undefined && gas > allowed) return reverts(NEEDS_MORE_GAS);
  if (gas > blockGasLimit) return reverts(`it needs ${gas} gas, a block has ${blockGasLimit}`);
  // What is set aside for a recipient who empties it is no reason to refuse one who does not.
  const wanted = withMargin(newHolderGas > gas ? newHolderGas : gas);
  const limits = [wanted, blockGasLimit, ...allowed === undefined ? [] : [allowed]];
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

/** Of a payment whose bytes are not known yet. */
const SOME_BYTES = 250;

/** What it would cost in the next block. */
export function costNow(
  { opStack, price: asked }: GasMarket,
  { gas, price }: { gas: bigint; price: PriceOptions },
): bigint {
  const besidesRaw = opStack === null
    ? 0n
    : opStackFeeMax(opStack, { gas, signedBytes: SOME_BYTES });
  return gas * priceLeast(asked, price) + besidesRaw;
}

type Priced = { readonly kind: "priced"; readonly detail: EvmDetail } | Refused;

/** As `priceGas`, and all fees together stay within their limit: the reserve is cut first here too. */
export function priceDetail(
  market: GasMarket,
  { price, detailOf }: { price: PriceOptions; detailOf: (fee: Fee) => EvmDetail },
): Priced {
  const pricing = priceGas(market.price, price);
  if (pricing.kind === "refused") return pricing;
  const detail = detailOf(pricing.fee);
  const { gas } = detail;
  const wanted = chargeOf(detail, market);
  if (!aboveFeeMax(wanted, price)) return { kind: "priced", detail };
  const limitRaw = price.feeMaxFor!(gas);
  const besidesRaw = wanted.maxRaw - gas * gasPriceMax(detail.fee);
  const isRoom = gas > 0n && limitRaw > besidesRaw;
  const gasPriceMaxRaw = isRoom ? (limitRaw - besidesRaw) / gas : 0n;
  const within = priceGas(market.price, { ...price, gasPriceMaxRaw });
  if (within.kind === "priced") return { kind: "priced", detail: detailOf(within.fee) };
  const least = { gas, maxRaw: besidesRaw + gas * priceLeast(market.price, price) };
  return present(aboveFeeMax(least, price), "What cannot be offered is above the limit");
}

export function chargeOf(detail: EvmDetail, market: GasMarket): Charge {
  return { gas: detail.gas, maxRaw: feeMax(detail, market) };
}
