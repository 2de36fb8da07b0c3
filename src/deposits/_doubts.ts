import { first } from "../base/lists.ts";
import { assetOf } from "../domain/money/amount.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import { findNetwork } from "../books/find.ts";
import { placeOf } from "../books/move_transaction.ts";
import { checkLedgerOf } from "../integrity/check_ledger.ts";
import { lookAtBalances } from "../integrity/manage_integrity.ts";
import type { Deps } from "../deps/deps.ts";
import { missingCoins } from "./covered.ts";
import type { LogCredits } from "./_log_credits.ts";
import { creditIn } from "./_other_credit.ts";

/** Why nobody can vouch that some of these weren't credited before, by id. */
export async function doubtsAbout(
  deps: Deps,
  { rows, log }: { rows: readonly TransactionRow[]; log: LogCredits },
): Promise<ReadonlyMap<number, ActionRefused>> {
  const doubts = new Map<number, ActionRefused>();
  const open = () => rows.filter(({ id }) => !doubts.has(id));
  for (const row of rows) {
    const why = await creditOf(deps, { row, log });
    if (why !== undefined) doubts.set(row.id, why);
  }
  for (const [why, wrong] of await differences(deps, open())) {
    for (const { id } of wrong) doubts.set(id, why);
  }
  for (const [code, deposits] of Map.groupBy(open(), (row) => row.network)) {
    const network = await findNetwork(deps, code);
    const missing = await missingCoins(deps, { network, deposits });
    for (const [id, why] of missing) doubts.set(id, why);
  }
  return doubts;
}

async function creditOf(
  { db }: Deps,
  { row, log }: { row: TransactionRow; log: LogCredits },
): Promise<ActionRefused | undefined> {
  if (!db.isGenuine(Transactions, row)) return refuse("deposit_tampered");
  const rowId = log.creditOf(placeOf(row));
  const found = rowId === undefined
    ? await creditIn(db, row)
    : { where: "audit_log", id: rowId } as const;
  return found && refuse("deposit_credited_before", found);
}

/** A balance that was put back may hide a credit. */
async function differences(
  deps: Deps,
  rows: readonly TransactionRow[],
): Promise<[ActionRefused, readonly TransactionRow[]][]> {
  if (rows.length === 0) return [];
  const { difference, forged } = await lookAtBalances(deps.db);
  if (difference !== 0n || forged.length > 0) {
    return [[refuse("balances_tampered"), rows]];
  }
  const found: [ActionRefused, readonly TransactionRow[]][] = [];
  for (const group of Map.groupBy(rows, (row) => `${row.accountId}/${assetOf(row)}`).values()) {
    const { accountId, network, currency } = first(group);
    const wrong = await checkLedgerOf(deps, { accountId, network, currency });
    if (wrong.length > 0) found.push([refuse("account_books_wrong"), group]);
  }
  return found;
}
