import type { Deps } from "../../deps/deps.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { pricesOf } from "../../rates/prices.ts";

/** Of accounts that report in none. */
const COMMON = "USD";

/** In one currency, at the prices of this moment. */
export interface Worth {
  readonly quote: string;
  /** Undefined: it has no price. */
  of(amount: Amount): Amount | undefined;
}

/** Undefined: nothing has a price. */
export async function worthFor(
  deps: Deps,
  { accountId, assets }: {
    accountId: number;
    assets: readonly { readonly network: string; readonly currency: string }[];
  },
): Promise<Worth | undefined> {
  const { reporting } = await deps.catalog.current();
  const quote = reporting.get(accountId) ?? COMMON;
  const prices = await pricesOf(deps, { accountId, assets, quote });
  if (prices.size === 0) return undefined;
  return {
    quote,
    of: (amount) => {
      const price = prices.get(amount.asset);
      return price === undefined ? undefined : amount.convertedBy(price, quote);
    },
  };
}

/** All that have a price together, and the names of the others. */
export function sumOf(
  worth: Worth,
  rows: readonly {
    readonly network: string;
    readonly currency: string;
    readonly balance: string;
  }[],
): { sum: Amount; unpriced: string[] } {
  let sum = Amount.zero(worth.quote);
  const unpriced: string[] = [];
  for (const row of rows) {
    const amount = Amount.parse(row.balance, assetOf(row));
    const value = worth.of(amount);
    if (value) sum = sum.plus(value);
    else if (!amount.isZero()) unpriced.push(assetOf(row));
  }
  return { sum, unpriced };
}
