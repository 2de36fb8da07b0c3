import { findCurrency, findNetwork } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import { isFilled } from "../transfers/fill_hot_wallets.ts";
import { nativeAmount } from "../transfers/price.ts";
import { balancesLately } from "../wallets/balances.ts";
import { roughly, usualCostOf } from "./free_of_charge.ts";

/** A hint isn't worth a longer wait. */
const NODE_MS = 2_000;

interface Paying {
  readonly network: string;
  readonly currency: string;
  readonly hotWallet: string;
}

/**
 * What a hot wallet has to be sent before it can pay in this currency; null: it has some of all.
 * While no node answers, nobody knows, so it is said too.
 */
export async function toFund(
  deps: Deps,
  { hotWallet: address, ...asset }: Paying,
): Promise<string | null> {
  const network = await findNetwork(deps, asset.network);
  const { symbol, contractAddress: contract } = await findCurrency(deps, {
    network: network.code,
    symbol: asset.currency,
  });
  const isToken = contract !== null;
  const asked = [{ address, contract: null }, ...isToken ? [{ address, contract }] : []];
  const [found, costRaw] = await Promise.all([
    balancesLately(deps, { network, asked, stamp: "", waitMs: NODE_MS }),
    usualCostOf(deps, { network, isToken, waitMs: NODE_MS }),
  ]);
  const cost = costRaw ? ` (about ${nativeAmount(network, roughly(costRaw))} each)` : "";
  const hasCoins = Boolean(found?.[0]);
  const fees = `for network fees${cost}`;
  const missing = isToken
    ? [
      ...found?.[1] ? [] : [`${symbol} to pay out`],
      ...hasCoins || isFilled(network) ? [] : [`${network.nativeSymbol} ${fees}`],
    ]
    : hasCoins
    ? []
    : [`${symbol} to pay out and ${fees}`];
  return missing.length === 0
    ? null
    : `Payouts are made from the hot wallet ${address}: send it ${missing.join(" and ")}`;
}
