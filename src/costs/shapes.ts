import type { Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import type { NetworkRow } from "../networks/table.ts";
import { nativeAmount } from "../transfers/price.ts";
import { costsOfMonth, type CurrencyCosts, type MonthCosts, type NodeUse } from "./of_month.ts";
import type { Way } from "./rules/ways.ts";
import { type Worth, worthOfCoin } from "./worth.ts";

export type CostsShape = ReturnType<typeof costsShape>;
export type CurrencyShape = CostsShape["currencies"][number];
export type NodeShape = CostsShape["nodes"][number];

interface Wanted {
  readonly network: NetworkRow;
  readonly month: string;
}

/** For whoever asks, whatever is shown of it. */
export async function shownCosts(
  deps: Deps,
  { network, month }: Wanted,
): Promise<{ shape: CostsShape; isBehind: boolean }> {
  const [found, worth] = await Promise.all([
    costsOfMonth(deps.db, { network, month, nowMs: deps.clock.nowMs() }),
    worthOfCoin(deps, network),
  ]);
  return { shape: costsShape(found, { network, month, worth }), isBehind: found.isBehind };
}

function costsShape(
  found: MonthCosts,
  { network, month, worth }: Wanted & { worth: Worth | undefined },
) {
  const value = (raw: bigint) => valueOf(nativeAmount(network, raw), worth);
  return {
    network: network.code,
    month,
    symbol: network.nativeSymbol,
    currencies: found.currencies.map((one) => currencyShape(one, { network, value })),
    upkeep: nativeAmount(network, found.upkeepRaw).toString(),
    cost: nativeAmount(network, found.feeRaw).toString(),
    value: value(found.feeRaw),
    value_currency: worth?.quote ?? null,
    gas_on_addresses: found.kept.toString(),
    nodes: found.nodes.map(nodeShape),
  };
}

function currencyShape(
  { currency, costs, sweeps, deposits, feeRaw, other }: CurrencyCosts,
  { network, value }: { network: NetworkRow; value: (raw: bigint) => string | null },
) {
  const swept = (way: Way) => costs.find((cost) => cost.way === way)?.sweeps ?? 0;
  const text = (raw: bigint) => nativeAmount(network, raw).toString();
  return {
    currency,
    sweeps,
    single: swept("single"),
    batch: swept("batch"),
    lent: swept("lent"),
    deposits,
    cost: text(feeRaw),
    cost_per_deposit: deposits === 0
      ? null
      : text((feeRaw + BigInt(deposits) / 2n) / BigInt(deposits)),
    value: value(feeRaw),
    other_mode: other?.way ?? null,
    other_cost: other ? text(other.feeRaw) : null,
    other_basis: other?.basis ?? null,
  };
}

function nodeShape({ host, perDay, most, today }: NodeUse) {
  return { node: host, calls_a_day: perDay, calls_most: most, calls_today: today ?? null };
}

function valueOf(amount: Amount, worth: Worth | undefined): string | null {
  if (!worth) return null;
  return amount.convertedBy(worth.rate, worth.quote).toString();
}
