import type { Db } from "../engine/db.ts";
import type { DepositRequestRow, TransactionRow } from "../tables/rows.ts";
import { Transactions } from "../tables/tables.ts";

/**
 * Sticky: everything seen on the address for the currency. Pool: what was detected while the request
 * had the address.
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
