import { PAY_IN, PAY_OUT } from "../accounts/rules/usable.ts";
import { accountOf } from "../http/caller.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { okList } from "../http/reply.ts";
import * as wire from "../domain/wire.ts";
import type { CurrencyRow } from "./table.ts";
import { currenciesOf } from "../store/reads/pages/lists.ts";
import { z } from "zod";

const Currency = z.object({
  currency: wire.Currency,
  network: wire.Network,
  name: z.string().meta({ description: "A name to show to people." }),
  is_token: z.boolean().meta({ description: "False for the network's own coin." }),
  contract_address: z.string().nullable().meta({ description: "Null for the network's own coin." }),
  decimals: z.int().meta({ description: "Decimal places on the chain, for display only." }),
  deposit_enabled: z.boolean(),
  withdrawal_enabled: z.boolean(),
  min_deposit_amount: wire.Amount.describe("Smaller deposits are still credited."),
  min_withdrawal_amount: wire.Amount.describe("Smaller withdrawals are refused."),
  withdrawal_fee_flat: wire.Amount.describe("Charged for each withdrawal, in its currency."),
  withdrawal_fee_percent: wire.Amount.describe('Charged on top of that: "0.5" is half a percent.'),
}).meta({ id: "Currency" });

/** Spec 4.2: currencies switched on for the account, if they and their networks are active. */
export const listCurrencies: Endpoint = {
  method: "GET",
  path: "/v1/currencies",
  operationId: "listCurrencies",
  permission: "list_currencies",
  tag: "Account",
  summary: "List currencies",
  description:
    "Every currency that the account may receive or pay out, with its limits and fees. Not paginated.",
  data: Currency,
  list: "whole",
  refusals: [],
  example: {
    data: {
      currency: "USDT",
      network: "ETH",
      name: "Tether USD",
      is_token: true,
      contract_address: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      decimals: 6,
      deposit_enabled: true,
      withdrawal_enabled: true,
      min_deposit_amount: "1",
      min_withdrawal_amount: "5",
      withdrawal_fee_flat: "1",
      withdrawal_fee_percent: "0.5",
    },
  },
  handle: ({ db, catalog }) => async (c) => {
    const { network, currencies } = await catalog.current();
    const rows = await currenciesOf(db, accountOf(c));
    const enabled = new Map(rows.map((row) => [`${row.network}/${row.currency}`, row]));
    const data = currencies.flatMap((currency) => {
      const row = enabled.get(`${currency.network}/${currency.symbol}`);
      const on = { deposit: PAY_IN.isOn(row), withdrawal: PAY_OUT.isOn(row) };
      const isListed = currency.isActive && network(currency.network)?.isActive &&
        (on.deposit || on.withdrawal);
      return isListed ? [currencyEntry(currency, on)] : [];
    });
    return okList(c, data);
  },
};

function currencyEntry(
  currency: CurrencyRow,
  on: { readonly deposit: boolean; readonly withdrawal: boolean },
): z.input<typeof Currency> {
  return {
    currency: currency.symbol,
    network: currency.network,
    name: currency.name,
    is_token: currency.contractAddress !== null,
    contract_address: currency.contractAddress,
    decimals: currency.decimals,
    deposit_enabled: on.deposit,
    withdrawal_enabled: on.withdrawal,
    min_deposit_amount: currency.minDepositAmount,
    min_withdrawal_amount: currency.minWithdrawalAmount,
    withdrawal_fee_flat: currency.feeFlat,
    withdrawal_fee_percent: currency.feePercent,
  };
}
