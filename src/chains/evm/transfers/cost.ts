import { NEEDS_MORE_GAS, type TransferRefused } from "../../transfer.ts";
import { present } from "../../../base/assert.ts";
import { aboveFeeMax, type Charge, type PriceOptions } from "../../price.ts";
import { type Fee, priceGas, priceLeast, priceOffered } from "./fees.ts";
import type { GasMarket } from "./gas_market.ts";
import { opStackFeeMax } from "./op_stack_fee.ts";
import { reverts, type Trial } from "./trial.ts";
import { signedBytesMax, type UnsignedDetail } from "./unsigned.ts";

/** The gas limit to sign, or a refusal. */
export function gasFor(
  trial: Extract<Trial, { kind: "passed" }>,
  { blockGasLimit, gasMax }: { blockGasLimit: bigint; gasMax: bigint | null | undefined },
): { readonly kind: "gas"; readonly gas: bigint } | TransferRefused {
  const { gas, newHolderGas = gas, baseGas, rehearsed } = trial;
  const allowed = gasMax === null || gasMax === undefined ? undefined : baseGas + gasMax;
  if (allowed !== undefined && gas > allowed) return reverts(NEEDS_MORE_GAS);
  if (gas > blockGasLimit) return reverts(`it needs ${gas} gas, a block has ${blockGasLimit}`);
  // Gas reserved for a holder who may empty his balance is no reason to refuse.
  const enough = withMargin(newHolderGas > gas ? newHolderGas : gas);
  const wanted = rehearsed && isAbout(enough, rehearsed.gas) ? rehearsed.gas : enough;
  const limits = [wanted, blockGasLimit, ...allowed === undefined ? [] : [allowed]];
  return { kind: "gas", gas: limits.reduce((a, b) => a < b ? a : b) };
}

/** A fifth more: the called code may change before the transfer is mined. */
function withMargin(gas: bigint): bigint {
  return (gas * 6n + 4n) / 5n;
}

/** The bytes of recipients and amounts take some gas more or less. */
function isAbout(enough: bigint, gas: bigint): boolean {
  return gas >= enough && 20n * gas <= 21n * enough;
}

export function feeAtMost(detail: UnsignedDetail, { opStack }: GasMarket): bigint {
  const gasFeeRaw = detail.gas * priceOffered(detail.fee);
  if (opStack === null) return gasFeeRaw;
  const size = { gas: detail.gas, signedBytes: signedBytesMax(detail) };
  return gasFeeRaw + opStackFeeMax(opStack, size);
}

/** An estimate for a payment whose bytes don't exist yet. */
const SOME_BYTES = 250;

export function costNow(
  { opStack, price: asked }: GasMarket,
  { gas, price }: { gas: bigint; price: PriceOptions },
): bigint {
  const besidesRaw = opStack === null
    ? 0n
    : opStackFeeMax(opStack, { gas, signedBytes: SOME_BYTES });
  return gas * priceLeast(asked, price) + besidesRaw;
}

type Priced<Detail> =
  | { readonly kind: "priced"; readonly detail: Detail }
  | TransferRefused;

/** Like `priceGas`, and also keeps all fees within their limit, cutting the reserve first. */
export function priceDetail<Detail extends UnsignedDetail>(
  market: GasMarket,
  { price, detailOf }: { price: PriceOptions; detailOf: (fee: Fee) => Detail },
): Priced<Detail> {
  const pricing = priceGas(market.price, price);
  if (pricing.kind === "refused") return pricing;
  const detail = detailOf(pricing.fee);
  const { gas } = detail;
  const wanted = chargeOf(detail, market);
  if (!aboveFeeMax(wanted, price)) return { kind: "priced", detail };
  const limitRaw = price.feeMaxFor!(gas);
  const besidesRaw = wanted.maxRaw - gas * priceOffered(detail.fee);
  const isRoom = gas > 0n && limitRaw > besidesRaw;
  const gasPriceMaxRaw = isRoom ? (limitRaw - besidesRaw) / gas : 0n;
  const within = priceGas(market.price, { ...price, gasPriceMaxRaw });
  if (within.kind === "priced") return { kind: "priced", detail: detailOf(within.fee) };
  const least = { gas, maxRaw: besidesRaw + gas * priceLeast(market.price, price) };
  return present(aboveFeeMax(least, price), "What cannot be offered is above the limit");
}

export function chargeOf(detail: UnsignedDetail, market: GasMarket): Charge {
  return { gas: detail.gas, maxRaw: feeAtMost(detail, market) };
}
