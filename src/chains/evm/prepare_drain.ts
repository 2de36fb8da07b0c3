import type { DrainRequest, Preflight, PriceOptions, Refused } from "../chain.ts";
import { feeMax, withinBlock, withMargin } from "./_cost.ts";
import { priceGas, withoutReserve } from "./fees.ts";
import type { GasMarket, PricedNode } from "./gas_market.ts";
import { callOf } from "./trial.ts";
import type { EvmDetail } from "./unsigned.ts";

export async function prepareDrain(
  { tryOut, market }: PricedNode,
  { request: drain, price }: { request: DrainRequest; price: PriceOptions },
): Promise<Preflight> {
  const { from, to, amountMaxRaw, spendableRaw } = drain;
  const amountRaw = lower(amountMaxRaw, spendableRaw);
  if (amountRaw <= 0n) return unaffordable(`there is nothing to send: ${amountRaw} base units`);
  const request = { from, to, contract: null, amountRaw };
  const [asked, tried] = await Promise.all([
    market(),
    tryOut({ request, isFunded: true, wantsCode: true }),
  ]);
  const trial = withinBlock(tried, asked);
  if (trial.kind === "refused") return trial;
  const pricing = priceGas(asked.price, price);
  if (pricing.kind === "refused") return pricing;
  const isGasExact = trial.hasCode === false && asked.feeModel !== "arbitrum";
  const detail: EvmDetail = {
    chainId: asked.chainId,
    ...callOf(request),
    gas: isGasExact ? trial.gas : withMargin(trial.gas, asked),
    fee: pricing.fee,
  };
  return withinSpendable(asked, { drain, detail, isGasExact });
}

/** Where gas and price are both certain nothing is left; otherwise what was not needed stays. */
function withinSpendable(
  market: GasMarket,
  { drain, detail, isGasExact }: { drain: DrainRequest; detail: EvmDetail; isGasExact: boolean },
): Preflight {
  const { from, to, amountMaxRaw, spendableRaw } = drain;
  const emptying = isGasExact ? { ...detail, fee: withoutReserve(detail.fee) } : detail;
  const feeMaxRaw = feeMax(emptying, market);
  const restRaw = spendableRaw - feeMaxRaw;
  const amountRaw = lower(amountMaxRaw, restRaw);
  if (amountRaw <= 0n) {
    return unaffordable(`fees take up to ${feeMaxRaw} of the ${spendableRaw} base units there`);
  }
  const chosen = amountRaw === restRaw ? emptying : detail;
  const prepared = {
    request: { from, to, contract: null, amountRaw },
    nativeCostMaxRaw: amountRaw + feeMaxRaw,
    feeMaxRaw,
    detail: { ...chosen, valueRaw: amountRaw },
  };
  return { kind: "ready", prepared };
}

function unaffordable(reason: string): Refused {
  return { kind: "refused", cause: "unaffordable", reason };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
