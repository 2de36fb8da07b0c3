import { first } from "../../base/lists.ts";
import { Amount, assetOf } from "./amount.ts";

interface Counted {
  readonly network: string;
  readonly currency: string;
  readonly status: string;
  readonly amount: string;
}

interface AssetTotal {
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
  readonly count: number;
}

interface ListTotals {
  /** By network and currency. */
  readonly sums: readonly AssetTotal[];
  readonly counted: number;
  /** Those that moved no money. */
  readonly leftOut: number;
}

/** Exact. What moved no money counts only if all rows are like that: somebody asked for them. */
export function totalsOf(
  rows: readonly Counted[],
  isVoid: (status: string) => boolean,
): ListTotals {
  const paid = rows.filter(({ status }) => !isVoid(status));
  const counted = paid.length === 0 ? rows : paid;
  const sums = [...Map.groupBy(counted, assetOf)].map(([asset, all]) => ({
    network: first(all).network,
    currency: first(all).currency,
    count: all.length,
    amount: Amount.sumOf(all.map(({ amount }) => amount), asset).toString(),
  }));
  return {
    sums: sums.toSorted((a, b) => assetOf(a) < assetOf(b) ? -1 : 1),
    counted: counted.length,
    leftOut: rows.length - counted.length,
  };
}
