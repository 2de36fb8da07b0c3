import { refuse } from "../domain/refusals/refuse.ts";
import type { Db } from "../store/engine/db.ts";
import { newestEntry } from "../books/reads/ledger.ts";
import type { SealedRow } from "../store/reads/sealed_row.ts";
import { type BalanceRow, Balances, LedgerEntries } from "../books/table.ts";
import { notRight } from "./not_right.ts";

type Check = (row: object) => void;

/**
 * The sum of all balances holds what the ledger says: if another balance were accepted, nobody would
 * be paid any more. A balance without entries was never written by this gateway.
 */
export async function checkLikeLedger(db: Db, { table, values }: SealedRow): Promise<Check> {
  const found = table.name === Balances.name ? await db.find(Balances, values) : undefined;
  if (!found) return () => {};
  const entry = await newestEntry(db, found);
  if (entry && !db.isGenuine(LedgerEntries, entry)) throw notRight(LedgerEntries, entry);
  const ledger = entry ? { balance: entry.balanceAfter, held: entry.heldAfter } : null;
  return (row) => {
    const { balance, held } = row as BalanceRow;
    if (balance === ledger?.balance && held === ledger.held) return;
    throw refuse("balance_not_as_ledger", { key: values.join("/"), balance, held, ledger });
  };
}
