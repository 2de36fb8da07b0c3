import type { Db } from "../engine/db.ts";
import type { DepositRequestRow } from "../tables/addresses.ts";
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
