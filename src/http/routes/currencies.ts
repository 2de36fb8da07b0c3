import type { Handler } from "hono";
import type { Deps } from "../../actions/deps.ts";
import type { AccountCurrencyRow, CurrencyRow } from "../../store/tables/setup.ts";
import { currenciesOf } from "../../store/reads/pages/lists.ts";
import { accountOf } from "../caller.ts";
import { okList } from "../reply.ts";
import type { HttpEnv } from "../request_state.ts";

/** Spec 4.2: currencies switched on for the account, if they and their networks are active. */
export function listCurrencies({ db, catalog }: Deps): Handler<HttpEnv> {
  return async (c) => {
    const { network, currencies } = await catalog.current();
    const rows = await currenciesOf(db, accountOf(c));
    const enabled = new Map(rows.map((row) => [`${row.network}/${row.currency}`, row]));
    const data = currencies.flatMap((currency) => {
      const switches = enabled.get(`${currency.network}/${currency.symbol}`);
      const isListed = currency.isActive && network(currency.network)?.isActive &&
        (switches?.isDepositEnabled || switches?.isWithdrawalEnabled);
      return isListed ? [currencyEntry(currency, switches)] : [];
    });
    return okList(c, data);
  };
}

function currencyEntry(currency: CurrencyRow, switches: AccountCurrencyRow) {
  return {
    currency: currency.symbol,
    network: currency.network,
    name: currency.name,
    is_token: currency.contractAddress !== null,
    contract_address: currency.contractAddress,
    decimals: currency.decimals,
    deposit_enabled: switches.isDepositEnabled,
    withdrawal_enabled: switches.isWithdrawalEnabled,
    min_deposit_amount: currency.minDepositAmount,
    min_withdrawal_amount: currency.minWithdrawalAmount,
    withdrawal_fee_flat: currency.feeFlat,
    withdrawal_fee_percent: currency.feePercent,
  };
}
