import type { Deps } from "../deps/deps.ts";
import { filterGenuine } from "../books/tampered.ts";
import { paidBy, paymentOf } from "./facts.ts";
import { countsAs, valueOf } from "./rules/judge.ts";
import { InvoiceAddresses, InvoicePayments, Invoices } from "./tables/invoices.ts";

interface Counted {
  readonly value: string;
  readonly currency: string;
}

/** What payments count for in their invoices, once these were judged, by the payment's id. Look-ups share statements. */
export async function worthsInInvoices(
  deps: Deps,
  rows: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, Counted>> {
  const { db } = deps;
  const links = await Promise.all(
    rows.map(({ id }) => db.find(InvoicePayments, [id], "transaction")),
  );
  const paid = await paidBy(deps, links.filter((link) => link !== undefined));
  const catalog = await deps.catalog.current();
  const counted = await Promise.all(paid.map(async ({ link, row }) => {
    const [invoice, given] = await Promise.all([
      db.find(Invoices, [link.invoiceId]),
      db.list(InvoiceAddresses, { invoiceId: link.invoiceId }),
    ]);
    const [[ours], places] = await Promise.all([
      filterGenuine(deps, Invoices, invoice ? [invoice] : []),
      filterGenuine(deps, InvoiceAddresses, given),
    ]);
    const payment = paymentOf({ link, row }, { given: places, catalog });
    if (!ours || link.ratedAtMs === null || countsAs(payment) === "nothing") return [];
    const value = valueOf(ours, payment);
    return value === null ? [] : [[row.id, { value, currency: ours.currency }] as const];
  }));
  return new Map(counted.flat());
}
