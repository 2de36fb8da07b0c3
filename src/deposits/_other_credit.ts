import type { CreditProof } from "./rules/refusals.ts";
import { CREDITED_STATUSES } from "./rules/transaction_moves.ts";
import type { Db } from "../store/engine/db.ts";
import { bookedOf } from "./reads/deposits.ts";
import { LedgerEntries, type LedgerEntryRow } from "../books/table.ts";
import type { TransactionRow } from "./tables/transactions.ts";

/** Anything else in the books that shows a credit of the same payment which wasn't taken back. */
export async function creditIn(db: Db, row: TransactionRow): Promise<CreditProof | undefined> {
  const { rows, entries } = await bookedOf(db, row);
  const other = rows.find(({ status }) => CREDITED_STATUSES.includes(status));
  if (other) return { where: "transaction", id: other.id };
  const credit = entries.find((entry) => isStanding(db, { entry, entries, row }));
  return credit && { where: "ledger", id: credit.id };
}

/** A row that was credited never becomes detected again, so its own credit is never taken back. */
function isStanding(
  db: Db,
  { entry, entries, row }: {
    entry: LedgerEntryRow;
    entries: readonly LedgerEntryRow[];
    row: TransactionRow;
  },
): boolean {
  const { kind, transactionId } = entry;
  if (kind !== "credit" || transactionId === row.id) return kind === "credit";
  return !entries.some((one) =>
    one.transactionId === transactionId && one.kind === "reversal" &&
    db.isGenuine(LedgerEntries, one)
  );
}
