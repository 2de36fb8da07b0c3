import { z } from "zod";
import { genuine } from "../tampered.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { type BalanceRow, Balances } from "../table.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";
import { accountOf } from "../../http/caller.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { okList } from "../../http/reply.ts";
import { queryOf } from "../../http/request_state.ts";
import * as wire from "../../domain/wire.ts";

const Balance = z.object({
  currency: wire.Currency,
  network: wire.Network,
  balance: wire.Amount.describe("What was credited and has not been paid out yet."),
  held: wire.Amount.describe("The part of it that withdrawals in progress have reserved."),
  available: wire.Amount.describe("`balance` minus `held`: what can be withdrawn, fees included."),
}).meta({ id: "Balance" });

/** Spec 4.3. An account has few rows, so they are filtered here. */
export const listBalances: Endpoint = {
  method: "GET",
  path: "/v1/balances",
  operationId: "listBalances",
  permission: "read_balance",
  tag: "Account",
  summary: "List balances",
  description: "One row for each currency and network that ever had a balance. Not paginated.",
  query: z.object({
    currency: wire.CurrencyFilter.optional(),
    network: wire.NetworkFilter.optional(),
  }),
  data: Balance,
  list: "whole",
  refusals: [],
  example: {
    query: { currency: "USDT" },
    data: { currency: "USDT", network: "ETH", balance: "100.5", held: "20", available: "80.5" },
  },
  handle: (deps) => async (c) => {
    const query = queryOf(c.env.state.target);
    const currency = query.get("currency");
    const network = query.get("network");
    const rows = await genuine(deps, Balances, await balancesOf(deps.db, accountOf(c)));
    const isAsked = (row: BalanceRow) =>
      matches(currency, row.currency) && matches(network, row.network);
    return okList(c, rows.filter(isAsked).map(balanceEntry));
  },
};

function matches(filter: string | null, value: string): boolean {
  return filter === null || filter.toLowerCase() === value.toLowerCase();
}

function balanceEntry(row: BalanceRow): z.input<typeof Balance> {
  const { currency, network, balance, held } = row;
  return { currency, network, balance, held, available: availableOf(row) };
}

function availableOf(row: BalanceRow): string {
  const { balance, held } = row;
  if (held === "0") return balance;
  const asset = assetOf(row);
  return Amount.parse(balance, asset).minus(Amount.parse(held, asset)).toString();
}
