import { assetOf } from "../domain/money/amount.ts";
import type { Deps } from "../deps/deps.ts";
import { worldOf } from "../networks/worlds.ts";
import { currentRates } from "./current.ts";
import { rateAt } from "./rate_at.ts";

/** Of accounts that report in none. */
const COMMON = "USD";

interface Asset {
  readonly network: string;
  readonly currency: string;
}

/** What one unit of each of an account's assets costs now, by asset; without those that have no price. */
export async function pricesOf(
  deps: Deps,
  { accountId, assets, quote }: {
    accountId: number;
    assets: readonly Asset[];
    quote: string;
  },
): Promise<ReadonlyMap<string, string>> {
  const known = await currentRates(deps);
  const nowMs = deps.clock.nowMs();
  const prices = new Map<string, string>();
  for (const { network, currency } of new Map(assets.map((it) => [assetOf(it), it])).values()) {
    const world = await worldOf(deps, { accountId, network });
    if (world === null) continue;
    const rate = rateAt(deps.memory.rates, known, { base: currency, quote, world, nowMs });
    if (rate !== null) prices.set(assetOf({ network, currency }), rate.value);
  }
  return prices;
}

/** The currency in which an account's owner sees what coins are worth. */
export async function quoteOf({ catalog }: Deps, accountId: number): Promise<string> {
  const { reporting } = await catalog.current();
  return reporting.get(accountId) ?? COMMON;
}
