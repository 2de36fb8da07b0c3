import type { Deps } from "../deps/deps.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import type { NetworkRow } from "../networks/table.ts";
import { pricesOn } from "../networks/worlds.ts";
import { currentRates } from "../rates/current.ts";
import { rateAt } from "../rates/rate_at.ts";

export interface Worth {
  readonly quote: string;
  /** Of one coin. */
  readonly rate: string;
}

const QUOTES = ["USD", "EUR"];

/** What the network's coin is worth now; undefined if no rate is known, which is no fault here. */
export async function worthOfCoin(
  deps: Deps,
  network: NetworkRow,
): Promise<Worth | undefined> {
  const { memory: { rates }, clock, catalog } = deps;
  const [known, all] = await Promise.all([currentRates(deps), catalog.current()]);
  const base = network.nativeSymbol;
  const world = pricesOn(network, all);
  for (const quote of QUOTES.filter((one) => !isSameSymbol(one, base))) {
    const rate = rateAt(rates, known, { base, quote, world, nowMs: clock.nowMs() });
    if (rate) return { quote, rate: rate.value };
  }
  return undefined;
}
