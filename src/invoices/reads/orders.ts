import type { SqlRow } from "../../store/connection/connection.ts";
import type { Db } from "../../store/engine/db.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import type { InvoiceStatus } from "../rules/status.ts";
import type { InvoiceSums } from "../rules/sums.ts";

/** What an invoice's owner calls it. */
export interface Ordered {
  readonly id: number;
  readonly reference: string | null;
  readonly description: string | null;
  readonly customer: string | null;
  readonly status: InvoiceStatus;
}

/** One that something was paid for. */
export interface PaidOrder extends Ordered {
  /** Null: they are not added up yet. */
  readonly sums: Pick<InvoiceSums, "credited" | "returned"> | null;
}

/** The invoices that payments are for, by the payment's id. */
export async function ordersOf(
  db: Db,
  rows: readonly Pick<TransactionRow, "id">[],
): Promise<ReadonlyMap<number, PaidOrder>> {
  const found = await db.query(
    `SELECT p.transaction_id, i.id, i.reference, i.description, i.customer, i.status,
  json_extract(i.sums, '$.credited') AS credited, json_extract(i.sums, '$.returned') AS returned
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
      sums: sumsIn(row),
    },
  ]));
}

function sumsIn({ credited, returned }: SqlRow): PaidOrder["sums"] {
  if (credited === null) return null;
  return {
    credited: JSON.parse(String(credited)),
    ...returned === null ? {} : { returned: JSON.parse(String(returned)) },
  };
}
