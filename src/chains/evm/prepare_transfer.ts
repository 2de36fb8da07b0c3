import { invariant } from "../../base/assert.ts";
import type { Preflight, PriceOptions, TransferRequest } from "../chain.ts";
import { feeMax, withinBlock, withMargin } from "./_cost.ts";
import { priceGas } from "./fees.ts";
import type { PricedNode } from "./gas_market.ts";
import { callOf } from "./trial.ts";
import type { EvmDetail } from "./unsigned.ts";

export async function prepareTransfer(
  { tryOut, market }: PricedNode,
  { request, price }: { request: TransferRequest; price: PriceOptions },
): Promise<Preflight> {
  invariant(request.amountRaw >= 0n, `Cannot transfer ${request.amountRaw}`);
  const isFunded = request.contract !== null;
  const [asked, tried] = await Promise.all([
    market(),
    tryOut({ request, isFunded }),
  ]);
  const trial = withinBlock(tried, asked);
  if (trial.kind === "refused") return trial;
  const pricing = priceGas(asked.price, price);
  if (pricing.kind === "refused") return pricing;
  const { chainId } = asked;
  const gas = withMargin(trial.gas, asked);
  const detail: EvmDetail = { chainId, ...callOf(request), gas, fee: pricing.fee };
  const feeMaxRaw = feeMax(detail, asked);
  const nativeCostMaxRaw = detail.valueRaw + feeMaxRaw;
  return { kind: "ready", prepared: { request, nativeCostMaxRaw, feeMaxRaw, detail } };
}
