import { PAY_IN } from "../accounts/rules/usable.ts";
import { AccountCurrencies } from "../accounts/tables/accounts.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { assetOf } from "../domain/money/amount.ts";
import { spellingIn } from "../domain/money/symbols.ts";
import { type RefusalCode, Refused } from "../domain/refusal.ts";
import type { World } from "../networks/rules/world.ts";
import { isTestNetwork } from "../networks/test_networks.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { worldOf } from "../networks/worlds.ts";
import { ratedSymbols } from "../rates/current.ts";
import { currenciesOf } from "../store/reads/pages/lists.ts";

const QUOTES_NAMED_MAX = 20;

/** The currency of an invoice as it is written: an enabled coin, or one with rates. */
export async function invoiceCurrency(
  deps: Deps,
  { accountId, wanted }: { accountId: number; wanted: string },
): Promise<string> {
  return await quoteOf(deps, { ...await coinsOf(deps, accountId), wanted });
}

/** What an account is paid with. */
export interface AccountCoins {
  /** For deposits. */
  readonly enabled: readonly CurrencyRow[];
  /** Enabled too, but the account has real coins, and these are test coins. */
  readonly worthless: readonly CurrencyRow[];
  /** Why it isn't paid with a coin. Undefined: it is. */
  readonly whyNot: (coin: CurrencyRow) => RefusalCode | undefined;
  /** Whose prices count. */
  readonly world: World;
}

export async function quoteOf(
  deps: Deps,
  { enabled, world, wanted }: Pick<AccountCoins, "enabled" | "world"> & { wanted: string },
): Promise<string> {
  const own = spellingIn(enabled.map(({ symbol }) => symbol), wanted);
  if (own !== undefined) return own;
  const quote = wanted.toUpperCase();
  const rated = await ratedSymbols(deps, world);
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

export async function coinsOf(deps: Deps, accountId: number): Promise<AccountCoins> {
  const [stored, catalog] = await Promise.all([
    currenciesOf(deps.db, accountId),
    deps.catalog.current(),
  ]);
  const rows = await filterGenuine(deps, AccountCurrencies, stored);
  const byName = new Map(rows.map((row) => [assetOf(row), row]));
  const whyNot = (currency: CurrencyRow) => {
    const { network, symbol } = currency;
    const enabled = byName.get(assetOf({ network, currency: symbol }));
    return PAY_IN.whyNot(
      PAY_IN.of({ network: catalog.network(network), currency, enabled }),
    );
  };
  const all = catalog.currencies.filter((row) => whyNot(row) === undefined);
  const isTest = (row: CurrencyRow) => {
    const network = catalog.network(row.network);
    return network !== undefined && isTestNetwork(network);
  };
  const aTest = all.find(isTest);
  if (!aTest) return { enabled: all, worthless: [], whyNot, world: "real" };
  const world = await worldOf(deps, { accountId, network: aTest.network });
  if (world !== null) return { enabled: all, worthless: [], whyNot, world };
  return {
    enabled: all.filter((row) => !isTest(row)),
    worthless: all.filter(isTest),
    whyNot,
    world: "real",
  };
}
