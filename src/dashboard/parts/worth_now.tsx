import type { Component } from "../../base/html.ts";
import type { Deps } from "../../deps/deps.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { moneyText } from "../../domain/money/written.ts";
import { pricesOf, quoteOf } from "../../rates/prices.ts";
import type { Visit } from "../visit.ts";

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
  const quote = await quoteOf(deps, accountId);
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

interface Holding {
  readonly network: string;
  readonly currency: string;
  readonly balance: string;
}

/** All that have a price together, and the names of the others. */
function sumOf(
  worth: Worth,
  rows: readonly Holding[],
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

interface TotalProps {
  readonly visit: Visit;
  readonly rows: readonly Holding[];
  readonly worth: Worth;
}

export const TotalWorth: Component<TotalProps> = ({ visit, rows, worth }) => {
  const { sum, unpriced } = sumOf(worth, rows);
  const without = unpriced.map((asset) => visit.asset(asset)).join(", ");
  return (
    <p class="total">
      <strong class="big" id="total">{written(sum, worth)}</strong>{" "}
      <span class="quiet small">
        at the prices of now{without !== "" && `, without ${without}: no price`}
      </span>
    </p>
  );
};

/** Stands above the coin's own amount. */
export const WorthAbove: Component<{ row: Holding; worth: Worth | undefined }> = (
  { row, worth },
) => {
  const text = worth && worthText(row, worth);
  return text === undefined ? null : <span class="above" id={`worth-${assetOf(row)}`}>{text}</span>;
};

function worthText(row: Holding, worth: Worth): string | undefined {
  const value = worth.of(Amount.parse(row.balance, assetOf(row)));
  return value && written(value, worth);
}

/** What has a price, and in which currency; an open page is loaded again when that changes. */
export function pricedIn(worth: Worth, rows: readonly Holding[]): string {
  const priced = rows.filter((row) => worthText(row, worth) !== undefined).map(assetOf);
  return [worth.quote, ...priced].join();
}

/** Of the same elements, for an open page. */
export function worthFigures(rows: readonly Holding[], worth: Worth): Record<string, string> {
  const each = rows.flatMap((row) => {
    const text = worthText(row, worth);
    return text === undefined ? [] : [[`worth-${assetOf(row)}`, text]];
  });
  return { ...Object.fromEntries(each), total: written(sumOf(worth, rows).sum, worth) };
}

export function written(value: Amount, { quote }: Worth): string {
  return moneyText(value.toString(), { currency: quote });
}
