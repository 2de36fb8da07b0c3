import { lately } from "../books/lately.ts";
import type { Offer } from "../chains/family.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount } from "../domain/money/amount.ts";
import type { NetworkRow } from "../networks/table.ts";
import { nativeAmount, priceOf } from "../transfers/price.ts";
import type { SignedTransactionRow } from "../transfers/table.ts";

export interface PushPrice {
  /** Per unit of gas, in the family's unit. */
  readonly offered: Amount;
  readonly charged: Amount;
  readonly unit: string;
  /** About, if the price stays as it is now. */
  readonly more: Amount;
}

const LOOK_MS = 1_500;

/** What a stuck payment offers, what blocks charge and what another bid costs; undefined: unknown. */
export async function pushPriceOf(
  deps: Deps,
  { network, tx }: { network: NetworkRow; tx: SignedTransactionRow },
): Promise<PushPrice | undefined> {
  const offer = await familyOf(network.family).offerIn(tx.raw);
  if (offer === null || offer.gas === 0n) return undefined;
  const look = () => askPrices(deps, { network, offer, outbids: tx.raw });
  try {
    return await lately(deps, { key: `push ${tx.id}`, look, waitMs: LOOK_MS });
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

/** Costs besides gas don't depend on the bid, so they are left out. */
async function askPrices(
  deps: Deps,
  { network, offer, outbids }: { network: NetworkRow; offer: Offer; outbids: string },
): Promise<PushPrice> {
  const chain = deps.chains.of(network);
  const price = await priceOf(deps, { network, chain });
  const { gas } = offer;
  const [besides, now, next] = await Promise.all([
    chain.costNow(0n, price),
    chain.costNow(gas, price),
    chain.costNow(gas, { ...price, outbids }),
  ]);
  const { name, decimals } = familyOf(network.family).gasPriceUnit;
  const inUnit = (raw: bigint) => Amount.fromRaw(raw, { asset: name, decimals });
  return {
    offered: inUnit(offer.priceRaw),
    charged: inUnit((now - besides) / gas),
    unit: name,
    more: nativeAmount(network, next - besides - gas * offer.priceRaw),
  };
}
