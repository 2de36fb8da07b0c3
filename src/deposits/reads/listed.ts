import type { Db } from "../../store/engine/db.ts";
import { InvoicePayments } from "../../invoices/tables/invoices.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { type Fact, hasOne, type Listing } from "../../store/lists/listing.ts";

const BELOW_MINIMUM = { columns: ["is_below_minimum"], where: "is_below_minimum = 1" };

export const TRANSACTIONS_LISTED: Listing<TransactionRow> = {
  table: Transactions,
  time: "created_at_ms",
  narrow: [
    [{ index: "transactions_movement", columns: ["network", "tx_hash"] }],
    [{ index: "transactions_address_newest", columns: ["address_id"] }],
    [{
      ...{ ...BELOW_MINIMUM, index: "transactions_account_below_minimum" },
      columns: ["account_id", "is_below_minimum"],
    }],
    [{ ...BELOW_MINIMUM, index: "transactions_below_minimum" }],
  ],
  ways: [
    ...["status", "currency", "network", "direction"].flatMap((column) => [
      [{ index: `transactions_account_${column}`, columns: ["account_id", column] }],
      [{ index: `transactions_${column}`, columns: [column] }],
    ]),
    [{
      index: "transactions_kind",
      columns: ["account_id", "direction", "status", "network", "currency"],
    }],
    [{ index: "transactions_account", columns: ["account_id"] }],
  ],
};

/** An invoice has few enough for a look-up of each. */
export async function isPaymentOf(db: Db, invoiceId: number): Promise<Fact> {
  const payments = await db.list(InvoicePayments, { invoiceId });
  return hasOne("id", payments.map(({ transactionId }) => transactionId));
}

/** In any of the spellings that a hash is stored in. */
export function isMovementOf(hash: string): Fact {
  const [digits] = /(?<=^(0x)?)[0-9a-f]{64}$/.exec(hash.toLowerCase()) ?? [];
  return hasOne("tx_hash", digits === undefined ? [] : [`0x${digits}`, digits]);
}
