import type { Handler } from "hono";
import type { Deps } from "../../actions/deps.ts";
import { genuine } from "../../actions/books/tampered.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { type BalanceRow, Balances } from "../../store/tables/ledger.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";
import { accountOf } from "../caller.ts";
import { okList } from "../reply.ts";
import { type HttpEnv, queryOf } from "../request_state.ts";

/** Spec 4.3. An account has few rows, so they are filtered here. */
export function listBalances(deps: Deps): Handler<HttpEnv> {
  return async (c) => {
    const query = queryOf(c.env.state.target);
    const currency = query.get("currency");
    const network = query.get("network");
    const rows = await genuine(deps, Balances, await balancesOf(deps.db, accountOf(c)));
    const isAsked = (row: BalanceRow) =>
      matches(currency, row.currency) && matches(network, row.network);
    return okList(c, rows.filter(isAsked).map(balanceEntry));
  };
}

function matches(filter: string | null, value: string): boolean {
  return filter === null || filter.toLowerCase() === value.toLowerCase();
}

function balanceEntry(row: BalanceRow) {
  const { currency, network, balance, held } = row;
  return { currency, network, balance, held, available: availableOf(row) };
}

function availableOf(row: BalanceRow): string {
  const { balance, held } = row;
  if (held === "0") return balance;
  const asset = assetOf(row);
  return Amount.parse(balance, asset).minus(Amount.parse(held, asset)).toString();
}
