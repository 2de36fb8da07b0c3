import type { Db } from "../../store/engine/db.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import type { InvoiceStatus } from "../rules/status.ts";

/** What an invoice's owner calls it. */
export interface Ordered {
  readonly id: number;
  readonly reference: string | null;
  readonly description: string | null;
  readonly customer: string | null;
  readonly status: InvoiceStatus;
}

/** The invoices that payments are for, by the payment's id. */
export async function ordersOf(
  db: Db,
  rows: readonly Pick<TransactionRow, "id">[],
): Promise<ReadonlyMap<number, Ordered>> {
  const found = await db.query(
    `SELECT p.transaction_id, i.id, i.reference, i.description, i.customer, i.status
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
      status: String(row.status) as InvoiceStatus,
    },
  ]));
}
