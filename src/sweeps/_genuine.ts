import { Accounts, ReceivingWallets } from "../accounts/tables/accounts.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import type { Sweeping } from "./_sweeping.ts";
import { Sweeps } from "./table.ts";

/** Nodes are asked anew for each. With more, all sweeps go alone this time. */
const TAMPERED_MAX = 3;

/** A row that somebody else changed keeps out what it belongs to. It is to go alone. */
export async function withoutTampered<Result>(
  sweepings: readonly Sweeping[],
  work: (left: readonly Sweeping[]) => Promise<Result>,
): Promise<{ readonly result: Result; readonly tampered: readonly Sweeping[] }> {
  let left = sweepings;
  for (let found = 0;; found++) {
    try {
      const result = await work(left);
      return { result, tampered: sweepings.filter((one) => !left.includes(one)) };
    } catch (error) {
      if (!(error instanceof TamperedRow) || found === TAMPERED_MAX) throw error;
      const rest = left.filter((one) => !rowsOf(one).includes(`${error.table} ${error.key}`));
      if (rest.length === left.length) throw error;
      left = rest;
    }
  }
}

/** All that signing for it relies on, and what other sweeps may not. */
function rowsOf({ sweep, address, deposits, orphans }: Sweeping): string[] {
  return [
    `${Accounts.name} ${sweep.accountId}`,
    `${ReceivingWallets.name} ${sweep.accountId}/${sweep.network}`,
    `${Addresses.name} ${address.id}`,
    `${Sweeps.name} ${sweep.id}`,
    ...[...deposits, ...orphans].map(({ id }) => `${Transactions.name} ${id}`),
  ];
}
