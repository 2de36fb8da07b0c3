import { CREDITED_STATUSES } from "../../../domain/states/transaction_moves.ts";
import { type Refunded, refundedOf } from "../../../domain/invoices/refunded.ts";
import type { Db } from "../../engine/db.ts";
import type { TransactionRow } from "../../tables/transactions.ts";

/** What an invoice's owner calls it. */
export interface Ordered {
  readonly id: number;
  readonly reference: string | null;
  readonly description: string | null;
  readonly customer: string | null;
}

/** The invoices that payments are for, by the payment's id. */
export async function ordersOf(
  db: Db,
  rows: readonly Pick<TransactionRow, "id">[],
): Promise<ReadonlyMap<number, Ordered>> {
  const found = await db.query(
    `SELECT p.transaction_id, i.id, i.reference, i.description, i.customer
FROM invoice_payments p
JOIN invoices i ON i.id = p.invoice_id
WHERE p.transaction_id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(rows.map(({ id }) => id))],
  );
  const said = (text: unknown) => text === null ? null : String(text);
  return new Map(found.map((row) => [
    Number(row.transaction_id),
    {
      id: Number(row.id),
      reference: said(row.reference),
      description: said(row.description),
      customer: said(row.customer),
    },
  ]));
}

/** Of these invoices, those of which something was given back. */
export async function refundedAmong(
  db: Db,
  invoiceIds: readonly number[],
): Promise<ReadonlyMap<number, Refunded>> {
  const ids = JSON.stringify(invoiceIds);
  const rows = await db.query(
    `SELECT r.invoice_id, 1 AS is_back, w.network, w.currency, w.amount
FROM refunds r
JOIN withdrawals w ON w.id = r.withdrawal_id
WHERE r.invoice_id IN (SELECT value FROM json_each(?)) AND +w.status = 'confirmed'
UNION ALL
SELECT p.invoice_id, 0, t.network, t.currency, t.amount
FROM invoice_payments p
JOIN transactions t ON t.id = p.transaction_id
WHERE p.invoice_id IN (
    SELECT invoice_id FROM refunds WHERE invoice_id IN (SELECT value FROM json_each(?))
  )
  AND +t.status IN (SELECT value FROM json_each(?))`,
    [ids, ids, JSON.stringify(CREDITED_STATUSES)],
  );
  const moved = rows.map(({ invoice_id, is_back, network, currency, amount }) => ({
    ...{ invoiceId: Number(invoice_id), isBack: Number(is_back) === 1 },
    ...{ network: String(network), currency: String(currency), amount: String(amount) },
  }));
  const words = new Map<number, Refunded>();
  for (const [id, coins] of Map.groupBy(moved, ({ invoiceId }) => invoiceId)) {
    const { back = [], paid = [] } = Object.groupBy(
      coins,
      ({ isBack }) => isBack ? "back" : "paid",
    );
    const word = refundedOf(paid, back);
    if (word !== undefined) words.set(id, word);
  }
  return words;
}
