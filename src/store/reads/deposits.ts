import type { Db } from "../engine/db.ts";
import type { DepositRequestRow } from "../tables/addresses.ts";
import { LedgerEntries, type LedgerEntryRow } from "../tables/ledger.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";

/**
 * For a sticky address, all deposits in the currency. For a pool address, those detected while the
 * request had it.
 */
export function depositsOfRequest(db: Db, request: DepositRequestRow): Promise<TransactionRow[]> {
  return request.userIdentifier === null
    ? db.rows(Transactions, "WHERE deposit_request_id = ? AND currency = ? ORDER BY id", [
      request.id,
      request.currency,
    ])
    : db.rows(Transactions, "WHERE address_id = ? AND currency = ? ORDER BY id", [
      request.addressId,
      request.currency,
    ]);
}

export interface Booked {
  /** The one that counts, and those that failed. */
  readonly rows: readonly TransactionRow[];
  readonly entries: readonly LedgerEntryRow[];
}

/** Everything in the books about one payment on the chain. */
export async function bookedOf(
  db: Db,
  { network, txHash, position }: Pick<TransactionRow, "network" | "txHash" | "position">,
): Promise<Booked> {
  const payment = "WHERE network = ? AND tx_hash = ? AND position = ?";
  const args = [network, txHash, position];
  const [rows, entries] = await Promise.all([
    db.rows(Transactions, payment, args),
    db.rows(
      LedgerEntries,
      `WHERE transaction_id IN (SELECT id FROM transactions ${payment})`,
      args,
    ),
  ]);
  return { rows, entries };
}
