import type { Handler } from "hono";
import type { Deps } from "../../actions/deps.ts";
import { Amount, assetOf } from "../../domain/amount.ts";
import type { BalanceRow } from "../../store/rows.ts";
import { balancesOf } from "../../store/list_reads.ts";
import { accountOf } from "../caller.ts";
import { okList } from "../reply.ts";
import { type HttpEnv, queryOf } from "../request_state.ts";

/** Spec 4.3. Few rows an account, so the filters run here. */
export function listBalances({ db }: Deps): Handler<HttpEnv> {
  return async (c) => {
    const query = queryOf(c.env.state.target);
    const rows = await balancesOf(db, accountOf(c));
    const isAsked = (row: BalanceRow) =>
      matches(query.get("currency"), row.currency) && matches(query.get("network"), row.network);
    return okList(c, rows.filter(isAsked).map(balanceEntry));
  };
}

function matches(filter: string | null, value: string): boolean {
  return filter === null || filter.toLowerCase() === value.toLowerCase();
}

function balanceEntry(row: BalanceRow) {
  const balance = Amount.parse(row.balance, assetOf(row));
  return {
    currency: row.currency,
    network: row.network,
    balance: row.balance,
    held: row.held,
    available: balance.minus(Amount.parse(row.held, assetOf(row))).toString(),
  };
}
