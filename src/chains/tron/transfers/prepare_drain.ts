import type { DrainRequest, Preflight } from "../../transfer.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { agreedPrices } from "../account.ts";
import { hexOfAddress } from "../address.ts";
import type { TronNode } from "../node.ts";
import {
  coinsCharge,
  coinsFee,
  endsOn,
  refusalOf,
  refusalOfCoins,
  unaffordable,
} from "./_checks.ts";
import type { TronDetail } from "./transaction.ts";

/** The fee is exact, so if everything may go, nothing is left over. */
export async function prepareDrain(
  pool: Pool<TronNode>,
  { request, price }: { request: DrainRequest; price: PriceOptions },
): Promise<Preflight> {
  const { amountMaxRaw, spendableRaw } = request;
  const most = lower(amountMaxRaw, spendableRaw);
  if (most <= 0n) return unaffordable(`there is nothing to send: ${most} base units`);
  const [from, to] = [hexOfAddress(request.from), hexOfAddress(request.to)];
  const prices = await agreedPrices(pool);
  return await pool.read(async (node) => {
    const ends = await endsOn(node, { from, to, prices });
    const refusal = refusalOf({ from, to, ...ends }) ?? refusalOfCoins(ends);
    if (refusal) return refusal;
    const { refBlock } = ends;
    const detailOf = (amountRaw: bigint): TronDetail => ({
      refBlock,
      call: { kind: "transfer", from, to, amountRaw },
      feeLimitRaw: 0n,
    });
    // Of the larger amount, which never takes fewer bytes.
    const feeAtMostRaw = coinsFee(detailOf(most), ends);
    const amountRaw = lower(amountMaxRaw, spendableRaw - feeAtMostRaw);
    if (amountRaw <= 0n) {
      return unaffordable(
        `fees take up to ${feeAtMostRaw} of the ${spendableRaw} base units there`,
      );
    }
    const charge = coinsCharge(detailOf(most), ends);
    const prepared = {
      request: { from: request.from, to: request.to, contract: null, amountRaw },
      nativeCostMaxRaw: amountRaw + feeAtMostRaw,
      feeAtMostRaw,
      charge,
      detail: detailOf(amountRaw),
    };
    return aboveFeeMax(charge, price) ?? { kind: "ready", prepared };
  });
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
