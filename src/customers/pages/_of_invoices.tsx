import type { Component } from "../../base/html.ts";
import { type InvoiceCustomer, INVOICES_COUNTED_MAX } from "../reads.ts";
import { totalsOf } from "../../domain/money/list_totals.ts";
import type { InvoiceStatus } from "../../invoices/rules/status.ts";
import { accountColumn } from "../../dashboard/parts/columns.tsx";
import { Long, Money } from "../../dashboard/parts/facts.tsx";
import type { Column } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const CURRENCIES_SHOWN = 3;

export function invoiceCustomerColumns(visit: Visit): Column<InvoiceCustomer>[] {
  return [
    {
      title: "Customer",
      at: "title",
      cell: (row) =>
        row.customer.trim() === ""
          ? <span class="quiet">without a name</span>
          : <Long text={row.customer} href={BASE + invoicesOf(visit, row)} />,
    },
    ...accountColumn<InvoiceCustomer>(visit),
    {
      title: "Invoices",
      isNumber: true,
      cell: ({ invoices: { length } }) =>
        length < INVOICES_COUNTED_MAX ? length : `newest ${length}`,
    },
    { title: "Of these paid", isNumber: true, cell: ({ invoices }) => paidOf(invoices).length },
    {
      title: "Paid",
      isNumber: true,
      isMixed: true,
      at: "amount",
      cell: ({ invoices }) => <Sums paid={paidOf(invoices)} />,
    },
  ];
}

/** Their list adds up all of them. */
export function invoicesOf(
  { seesAll }: Visit,
  { accountId, customer }: Pick<InvoiceCustomer, "accountId" | "customer">,
): string {
  const account = seesAll ? { account: String(accountId) } : {};
  return `/invoices?${new URLSearchParams({ customer, ...account })}`;
}

type Invoice = InvoiceCustomer["invoices"][number];

function paidOf(invoices: readonly Invoice[]): Invoice[] {
  return invoices.filter(({ status }) => status === ("paid" satisfies InvoiceStatus));
}

const Sums: Component<{ paid: readonly Invoice[] }> = ({ paid }) => {
  const { sums } = totalsOf(paid.map((row) => ({ ...row, network: "" })), () => false);
  if (sums.length === 0) return <span class="quiet">–</span>;
  const others = sums.length - CURRENCIES_SHOWN;
  return (
    <>
      {sums.slice(0, CURRENCIES_SHOWN).map(({ amount, currency }, i) => (
        <>
          {i > 0 && ", "}
          <Money amount={amount} quote={currency} isWhole />
        </>
      ))}
      {others > 0 && <span class="quiet">{` and ${others} more`}</span>}
    </>
  );
};
