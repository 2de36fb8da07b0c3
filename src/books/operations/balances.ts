import { findAccount, findNetwork } from "../find.ts";
import { balanceShape } from "../shapes.ts";
import type { BalanceRow } from "../table.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";
import { operation, optional, UsageError } from "../../operations/operation.ts";
import { fewBalances } from "../../store/reads/few_rows.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";

const LISTED_MAX = 10_000;

export const BALANCE_COMMANDS = [
  operation({
    words: ["balance", "list"],
    reads: "see",
    summary: "Lists what accounts own: balance, held for withdrawals, and available",
    flags: {
      account: optional(kind.recordId, { help: "only this account's", example: "1" }),
      network: optional(kind.networkCode, { help: "only on this network", example: "ETH" }),
      currency: optional(kind.symbol, { help: "only in this currency", example: "USDT" }),
    },
    examples: ["balance list", "balance list --account 1 --network ETH"],
    columns: ["account_id", "network", "currency", "balance", "held", "available"],
    run: async (context, { flags: { account, network, currency } }) => {
      const deps = await context.deps();
      const only = network && (await findNetwork(deps, network)).code;
      const rows = await balancesFor(deps, account);
      return rows.filter((row) =>
        (only === undefined || row.network === only) &&
        (currency === undefined || isSameSymbol(row.currency, currency))
      ).map(balanceShape);
    },
  }),
];

async function balancesFor(deps: Deps, accountId: number | undefined): Promise<BalanceRow[]> {
  if (accountId !== undefined) {
    await findAccount(deps, accountId);
    return await balancesOf(deps.db, accountId);
  }
  const rows = await fewBalances(deps.db, LISTED_MAX);
  if (rows) return rows;
  throw new UsageError(
    `There are more than ${LISTED_MAX} balances: name an account with --account`,
  );
}
