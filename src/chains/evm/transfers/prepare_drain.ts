import type { DrainRequest, Preflight, TransferRefused } from "../../transfer.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import { feeAtMost, gasFor, priceDetail } from "./cost.ts";
import { atFixedPrice, type Fee, priceOffered } from "./fees.ts";
import type { GasMarket, PricedNode } from "./gas_market.ts";
import { callOf } from "./_trial_calls.ts";
import type { EvmDetail } from "./unsigned.ts";

export async function prepareDrain(
  node: PricedNode,
  { request: drain, price }: { request: DrainRequest; price: PriceOptions },
): Promise<Preflight> {
  const { from, to, amountMaxRaw, spendableRaw } = drain;
  const amountRaw = lower(amountMaxRaw, spendableRaw);
  if (amountRaw <= 0n) return unaffordable(`there is nothing to send: ${amountRaw} base units`);
  const request = { from, to, contract: null, amountRaw };
  const [market, trial] = await Promise.all([
    node.knownMarket() ?? node.market(),
    node.tryOut({ request, isFunded: true, gasMax: price.gasMax }),
  ]);
  if (trial.kind === "refused") return trial;
  const { blockGasLimit, chainId } = market;
  const allowed = gasFor(trial, { blockGasLimit, gasMax: price.gasMax });
  if (allowed.kind === "refused") return allowed;
  const isGasExact = !trial.hasCode && market.feeModel !== "arbitrum";
  const gasMax = isGasExact ? trial.gas : allowed.gas;
  const detailOf = (fee: Fee): EvmDetail => ({ chainId, ...callOf(request), gas: gasMax, fee });
  const priced = priceDetail(market, { price, detailOf });
  if (priced.kind === "refused") return priced;
  const { detail } = priced;
  // An exact drain pays its whole price as a tip, so a base fee that nobody paid lately stays a
  // limit.
  const isBelieved = priceOffered(detail.fee) <= (price.tipMaxRaw ?? priceOffered(detail.fee));
  const isExact = isGasExact && isBelieved;
  const drained = withinSpendable(market, { drain, detail, isExact });
  if (drained.kind === "refused") return drained;
  // A tip as high as the price takes more bytes, which a chain may charge for.
  const refusal = aboveFeeMax(drained.prepared.charge, price);
  if (refusal || !trial.hasCode) return refusal ?? drained;
  const { gas, fee } = drained.prepared.detail;
  const { request: rehearsed } = drained.prepared;
  const rehearsal = await node.rehearse({ request: rehearsed, isFunded: true, gas, fee });
  return rehearsal.kind === "refused" ? rehearsal : drained;
}

/** If gas and price are both certain, nothing is left over; otherwise what isn't used stays behind. */
function withinSpendable(
  market: GasMarket,
  { drain, detail, isExact }: { drain: DrainRequest; detail: EvmDetail; isExact: boolean },
): Preflight<EvmDetail> {
  const { from, to, amountMaxRaw, spendableRaw } = drain;
  const emptying = isExact ? { ...detail, fee: atFixedPrice(detail.fee) } : detail;
  const feeAtMostRaw = feeAtMost(emptying, market);
  const restRaw = spendableRaw - feeAtMostRaw;
  const amountRaw = lower(amountMaxRaw, restRaw);
  if (amountRaw <= 0n) {
    return unaffordable(`fees take up to ${feeAtMostRaw} of the ${spendableRaw} base units there`);
  }
  const chosen = amountRaw === restRaw ? emptying : detail;
  const prepared = {
    request: { from, to, contract: null, amountRaw },
    nativeCostMaxRaw: amountRaw + feeAtMostRaw,
    feeAtMostRaw,
    charge: { gas: detail.gas, maxRaw: feeAtMostRaw },
    detail: { ...chosen, valueRaw: amountRaw },
  };
  return { kind: "ready", prepared };
}

function unaffordable(reason: string): TransferRefused {
  return { kind: "refused", cause: "unaffordable", reason };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
