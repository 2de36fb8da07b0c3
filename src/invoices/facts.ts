import { present } from "../base/assert.ts";
import type { InvoicePayment } from "./rules/judge.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import {
  type InvoiceAddressRow,
  type InvoicePaymentRow,
  InvoicePayments,
  type InvoiceRow,
} from "./tables/invoices.ts";
import { Refunds } from "../refunds/table.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";

export interface Paid {
  readonly link: InvoicePaymentRow;
  readonly row: TransactionRow;
}

/** All of an invoice's money, row by row. */
export interface InvoiceFacts {
  /** Oldest first. */
  readonly payments: readonly Paid[];
  /** Oldest first. */
  readonly refunds: readonly WithdrawalRow[];
  readonly catalog: Catalog;
}

/**
 * For those who decide about the money, or add it up. Whoever only looks takes `lookAt`, because
 * the rows may be many.
 */
export async function factsOf(deps: Deps, { id }: Pick<InvoiceRow, "id">): Promise<InvoiceFacts> {
  const [payments, refunds, catalog] = await Promise.all([
    paymentsOf(deps, id),
    refundsOf(deps, id),
    deps.catalog.current(),
  ]);
  return { payments, refunds, catalog };
}

/** Oldest first. Rows that somebody else wrote count for nothing. Look-ups share statements. */
export async function paymentsOf(deps: Deps, invoiceId: number): Promise<Paid[]> {
  const links = await deps.db.list(InvoicePayments, { invoiceId });
  return (await paidBy(deps, links)).toSorted((a, b) => a.row.id - b.row.id);
}

/** The payments of these links, without those that somebody else wrote. */
export async function paidBy(deps: Deps, links: readonly InvoicePaymentRow[]): Promise<Paid[]> {
  const ours = await filterGenuine(deps, InvoicePayments, links);
  const rows = await Promise.all(
    ours.map((link) => deps.db.get(Transactions, [link.transactionId])),
  );
  const genuineRows = new Set(await filterGenuine(deps, Transactions, rows));
  return ours.flatMap((link, i) => {
    const row = present(rows[i], "A payment has its row");
    return genuineRows.has(row) ? [{ link, row }] : [];
  });
}

async function refundsOf(deps: Deps, invoiceId: number): Promise<WithdrawalRow[]> {
  const links = await filterGenuine(deps, Refunds, await deps.db.list(Refunds, { invoiceId }));
  const rows = await Promise.all(
    links.map(({ withdrawalId }) => deps.db.get(Withdrawals, [withdrawalId])),
  );
  return (await filterGenuine(deps, Withdrawals, rows)).toSorted((a, b) => a.id - b.id);
}

/** As the rules see it. */
export function paymentOf(
  { link, row }: Paid,
  { given, catalog }: { given: readonly InvoiceAddressRow[]; catalog: Catalog },
): InvoicePayment {
  const { network, currency, amount, status, addressId } = row;
  const address = given.find((one) => one.addressId === addressId);
  const decimals = catalog.currency(network, currency)?.decimals ?? 0;
  const paidAtMs = Math.max(seenAtMs(row), address?.allocatedAtMs ?? 0);
  const { laterRate, isWorthless } = link;
  return {
    ...{ network, currency, amount, status, decimals, paidAtMs, laterRate },
    isWorthless: isWorthless ?? false,
  };
}

/** If we were down, its block still shows when it was paid. */
export function seenAtMs({ createdAtMs, minedAtMs }: TransactionRow): number {
  return minedAtMs === null ? createdAtMs : Math.min(createdAtMs, minedAtMs);
}
