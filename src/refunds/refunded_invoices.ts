import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";
import { Refunds } from "./table.ts";

/** By the payout's id. However many payouts they are, each table is asked once. */
export type RefundedInvoices = ReadonlyMap<number, InvoiceRow>;

/** What payouts give back, of those that are refunds. */
export async function refundedInvoices(
  deps: Deps,
  payouts: readonly { readonly id: number }[],
): Promise<RefundedInvoices> {
  const { db } = deps;
  const found = await Promise.all(payouts.map(({ id }) => db.find(Refunds, [id])));
  const refunds = await filterGenuine(deps, Refunds, found.filter((row) => row !== undefined));
  const ids = [...new Set(refunds.map(({ invoiceId }) => invoiceId))];
  const rows = await Promise.all(ids.map((id) => db.find(Invoices, [id])));
  const there = rows.filter((row) => row !== undefined);
  const invoices = await filterGenuine(deps, Invoices, there);
  return new Map(refunds.flatMap(({ withdrawalId, invoiceId }) => {
    const invoice = invoices.find(({ id }) => id === invoiceId);
    return invoice ? [[withdrawalId, invoice]] : [];
  }));
}
