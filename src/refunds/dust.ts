import type { Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import type { World } from "../networks/rules/world.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { pricesOn } from "../networks/worlds.ts";
import { currentRates } from "../rates/current.ts";
import { rateAt } from "../rates/rate_at.ts";
import { nativeAmount } from "../transfers/price.ts";
import { usualCostOf } from "../withdrawals/free_of_charge.ts";

const WAIT_MS = 1_500;

/**
 * Whether a refund is worth less than the network fee of paying it. Never, if no node says what
 * that is, or nobody knows what the currency is worth in the network's coin.
 */
export async function dustTest(
  deps: Deps,
  asked: { readonly network: string; readonly currency: string },
): Promise<(amount: Amount) => boolean> {
  const catalog = await deps.catalog.current();
  const network = catalog.network(asked.network);
  const currency = network && catalog.currency(network.code, asked.currency);
  if (!network?.isActive || !currency?.isActive) return () => false;
  const isToken = currency.contractAddress !== null;
  const [raw, rate] = await Promise.all([
    usualCostOf(deps, { network, isToken, waitMs: WAIT_MS }),
    isToken ? rateIn(deps, { network, currency, world: pricesOn(network, catalog) }) : "1",
  ]);
  if (raw === undefined || rate === null) return () => false;
  const cost = nativeAmount(network, raw);
  return (amount) => amount.convertedBy(rate, cost.asset).isLessThan(cost);
}

/** The operator's word for sweeps, otherwise the sources of rates. */
async function rateIn(
  deps: Deps,
  { network, currency, world }: { network: NetworkRow; currency: CurrencyRow; world: World },
): Promise<string | null> {
  if (currency.nativeRate !== null) return currency.nativeRate;
  const pair = { base: currency.symbol, quote: network.nativeSymbol };
  const known = await currentRates(deps);
  // A missing rate is no reason to alert anybody.
  const nowMs = deps.clock.nowMs();
  return rateAt(deps.memory.rates, known, { ...pair, world, nowMs })?.value ?? null;
}
