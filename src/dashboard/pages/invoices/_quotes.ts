import { listRates } from "../../../actions/rates/list.ts";
import { currenciesOf } from "../../../store/reads/pages/lists.ts";
import type { AccountCurrencyRow, AccountRow } from "../../../store/tables/setup.ts";
import type { Visit } from "../../visit.ts";

/** The currencies that invoices can be in. Fiat first, because most prices are in it. */
export async function quotesOf(visit: Visit, account: AccountRow): Promise<string[]> {
  const [rates, coins] = await Promise.all([listRates(visit.deps), coinsOf(visit, account)]);
  return [...new Set([...rates.map(({ quote }) => quote), ...coins.map((coin) => coin.currency)])];
}

/** What payers may pay with. */
export async function coinsOf(
  { deps }: Visit,
  { id }: AccountRow,
): Promise<readonly AccountCurrencyRow[]> {
  const enabled = await currenciesOf(deps.db, id);
  return enabled.filter(({ isDepositEnabled }) => isDepositEnabled);
}
