import { listRates } from "../../../actions/rates/list.ts";
import { currenciesOf } from "../../../store/reads/pages/lists.ts";
import type { AccountRow } from "../../../store/tables/setup.ts";
import type { Visit } from "../../visit.ts";

/** What invoices can be in. Fiat first: what most prices are in. */
export async function quotesOf({ deps }: Visit, { id }: AccountRow): Promise<string[]> {
  const [rates, enabled] = await Promise.all([listRates(deps), currenciesOf(deps.db, id)]);
  const coins = enabled.filter(({ isDepositEnabled }) => isDepositEnabled)
    .map(({ currency }) => currency);
  return [...new Set([...rates.map(({ quote }) => quote), ...coins])];
}
