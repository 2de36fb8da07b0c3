import { PAY_IN } from "../../accounts/rules/usable.ts";
import type { AccountCurrencyRow, AccountRow } from "../../accounts/tables/accounts.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { distinctSymbols } from "../../domain/money/symbols.ts";
import { isTestAccount } from "../../networks/worlds.ts";
import { listRates } from "../../rates/list.ts";
import { currenciesOf } from "../../store/reads/pages/lists.ts";

/** The currencies that invoices can be in. Fiat first, because most prices are in it, if any is known. */
export async function quotesOf(visit: Visit, account: AccountRow): Promise<string[]> {
  const { deps } = visit;
  const [listed, isTest, coins, { currencies }] = await Promise.all([
    listRates(deps),
    isTestAccount(deps, account.id),
    coinsOf(visit, account),
    deps.catalog.current(),
  ]);
  const rates = listed.filter((one) => isTest || !one.isTest);
  const tokens = new Set(currencies.map(({ symbol }) => symbol.toUpperCase()));
  // A price of one euro in dollars is one of the dollar in euros too.
  const bases = rates.map(({ base }) => base).filter((base) => !tokens.has(base.toUpperCase()));
  const priced = [...rates.map(({ quote }) => quote), ...bases];
  const own = coins.map(({ currency }) => currency);
  const isKnown = rates.some(({ rate }) => rate !== null);
  return distinctSymbols(isKnown ? [...priced, ...own] : [...own, ...priced]);
}

/** What payers may pay with. */
export async function coinsOf(
  { deps }: Visit,
  { id }: AccountRow,
): Promise<readonly AccountCurrencyRow[]> {
  const enabled = await currenciesOf(deps.db, id);
  return enabled.filter(PAY_IN.isOn);
}
