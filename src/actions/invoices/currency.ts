import { assetOf } from "../../domain/money/amount.ts";
import { spellingIn } from "../../domain/money/symbols.ts";
import { Refused } from "../../domain/refusal.ts";
import { currenciesOf } from "../../store/reads/pages/lists.ts";
import { AccountCurrencies, type CurrencyRow } from "../../store/tables/setup.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { ratedSymbols } from "../rates/current.ts";

const QUOTES_NAMED_MAX = 20;

/** The currency of an invoice as it is written: an enabled coin, or one with rates. */
export async function invoiceCurrency(
  deps: Deps,
  { accountId, wanted }: { accountId: number; wanted: string },
): Promise<string> {
  return await quoteOf(deps, { enabled: await enabledCoins(deps, accountId), wanted });
}

export async function quoteOf(
  deps: Deps,
  { enabled, wanted }: { enabled: readonly CurrencyRow[]; wanted: string },
): Promise<string> {
  const own = spellingIn(enabled.map(({ symbol }) => symbol), wanted);
  if (own !== undefined) return own;
  const quote = wanted.toUpperCase();
  const rated = await ratedSymbols(deps);
  if (!rated.has(quote)) throw await unknownQuote(deps, { quote, rated });
  return quote;
}

/** Says which currencies it can be, besides coins. */
async function unknownQuote(
  deps: Deps,
  { quote, rated }: { quote: string; rated: ReadonlySet<string> },
): Promise<Refused> {
  const { currencies } = await deps.catalog.current();
  const coins = new Set(currencies.map(({ symbol }) => symbol.toUpperCase()));
  const quotes = [...rated.difference(coins)].toSorted().slice(0, QUOTES_NAMED_MAX).join(", ");
  const others = quotes === "" ? "nor for any other currency" : `but for ${quotes}`;
  return new Refused("currency_not_found", { text: `no rates for ${quote}, ${others}` });
}

export async function enabledCoins(deps: Deps, accountId: number): Promise<CurrencyRow[]> {
  const { network, currencies } = await deps.catalog.current();
  const rows = await filterGenuine(
    deps,
    AccountCurrencies,
    await currenciesOf(deps.db, accountId),
  );
  const enabled = new Set(rows.filter((row) => row.isDepositEnabled).map(assetOf));
  return currencies.filter((one) =>
    one.isActive && network(one.network)?.isActive &&
    enabled.has(assetOf({ network: one.network, currency: one.symbol }))
  );
}
