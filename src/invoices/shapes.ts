import type { Deps } from "../deps/deps.ts";
import { lookAt } from "./look.ts";
import { invoiceShape, payUrl } from "./shape.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import type { InvoiceRow } from "./tables/invoices.ts";

export function invoiceRowShape({ publicUrl }: Pick<Deps, "publicUrl">, row: InvoiceRow) {
  return {
    invoice_id: row.id,
    account_id: row.accountId,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    description: row.description,
    customer: row.customer,
    url: payUrl(publicUrl, row),
    expires_at: isoUtc(row.expiresAtMs),
    created_at: isoUtc(row.createdAtMs),
    paid_at: isoUtcOrNull(row.paidAtMs),
    cancelled_at: isoUtcOrNull(row.cancelledAtMs),
  };
}

/** As the API shows it, and whose it is. */
export async function wholeInvoiceShape(deps: Deps, row: InvoiceRow) {
  const look = await lookAt(deps, row);
  const { publicUrl, clock } = deps;
  const shape = invoiceShape(row, { look, publicUrl, nowMs: clock.nowMs() });
  return { account_id: row.accountId, ...shape };
}
