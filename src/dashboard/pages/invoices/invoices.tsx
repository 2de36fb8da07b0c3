import { INVOICE_STATUSES } from "../../../domain/invoices/status.ts";
import { refundedOf } from "../../../domain/invoices/sums.ts";
import { InvoiceAmounts } from "../../../store/reads/lists/amounts.ts";
import { type InvoiceRow, Invoices } from "../../../store/tables/checkout/invoices.ts";
import { withAccount } from "../../parts/account.tsx";
import { accountColumn, AMOUNT } from "../../parts/columns.tsx";
import { csvRoute, ExportLink, genuinePage } from "../../parts/csv.tsx";
import { Card, EmptyState, Money, Name, Time } from "../../parts/facts.tsx";
import { AccountFilter, ChoiceFilter, TextFilter } from "../../parts/filters.tsx";
import { Fresh, freshFigures, freshQuery } from "../../parts/lists/fresh.tsx";
import { NoMatch } from "../../parts/lists/no_match.tsx";
import { DateFields, DatePresets } from "../../parts/lists/period.tsx";
import { COUNTED_MAX } from "../../parts/lists/totals.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Filters, isFirstPage, PagedTable } from "../../parts/table.tsx";
import { page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { orderName } from "../../words/orders.ts";
import { CSV_COLUMNS } from "./_csv_columns.ts";
import { invoicesFound, invoicesWanted } from "./_listed.ts";
import { InvoiceStatus } from "./_status.tsx";
import { InvoiceTotals } from "./_totals.tsx";

const ROWS = 20;

const invoicesPage = page({
  path: "/invoices",
  ability: "see",
  nav: { label: "Invoices", group: "Payments" },
  show: async (visit) => {
    const query = invoicesWanted(visit);
    const isFirst = isFirstPage(visit);
    const [found, amounts] = await Promise.all([
      invoicesFound(visit, Invoices, { ...query, limit: ROWS }),
      isFirst ? amountsFound(visit, query) : null,
    ]);
    return (
      <Page
        visit={visit}
        title="Invoices"
        actions={<Links visit={visit} />}
        isLive={isFirst && !visit.isOldestFirst}
        since={found.rows[0]?.id ?? 0}
      >
        <Card>
          <DatePresets visit={visit} />
          <InvoiceFilters visit={visit} />
          <div class="list-head">
            {amounts && <InvoiceTotals found={amounts} />}
            <Fresh visit={visit} words="invoices" />
          </div>
          <PagedTable
            visit={visit}
            caption="Invoices"
            found={found}
            columns={columnsFor(visit)}
            empty={<NoMatch visit={visit} none={<NoInvoices visit={visit} />} />}
          />
        </Card>
      </Page>
    );
  },
  live: async (visit) => {
    const query = { ...invoicesWanted(visit), ...freshQuery(visit) };
    const { rows } = await invoicesFound(visit, InvoiceAmounts, query);
    return freshFigures(rows.length, "invoices");
  },
});

/** What the totals of the list are added up from. */
function amountsFound(visit: Visit, query: ReturnType<typeof invoicesWanted>) {
  const newest = { ...query, isOldestFirst: false, limit: COUNTED_MAX };
  return invoicesFound(visit, InvoiceAmounts, newest);
}

const InvoiceFilters = ({ visit }: { visit: Visit }) => (
  <Filters visit={visit}>
    <AccountFilter visit={visit} />
    <ChoiceFilter visit={visit} name="status" label="Status" choices={INVOICE_STATUSES} />
    <TextFilter visit={visit} name="reference" label="Reference" />
    <TextFilter visit={visit} name="customer" label="Customer" />
    <DateFields visit={visit} />
  </Filters>
);

const Links = ({ visit }: { visit: Visit }) => (
  <>
    <ExportLink visit={visit} path="/invoices" />
    {visit.may("GET", "/invoices/new") && (
      <a class="button" href={BASE + withAccount(visit, "/invoices/new")}>New invoice</a>
    )}
  </>
);

const exportRoute = csvRoute({
  path: "/invoices",
  ability: "see",
  columns: CSV_COLUMNS,
  rowsAtOnce: 50,
  wanted: (visit) => Promise.resolve(invoicesWanted(visit)),
  read: async (visit, query) =>
    await genuinePage(visit.deps, Invoices, await invoicesFound(visit, Invoices, query)),
});

const NoInvoices = ({ visit }: { visit: Visit }) => (
  <EmptyState title="No invoices yet">
    {visit.may("GET", "/invoices/new") && "Create one with the button above. "}
    A program creates them with an API key that has the manage_invoices permission.
  </EmptyState>
);

function columnsFor(visit: Visit): Column<InvoiceRow>[] {
  return [
    {
      title: "Invoice",
      at: "title",
      cell: (row) => <Name text={orderName(row)} href={`${BASE}/invoices/${row.id}`} />,
    },
    {
      ...AMOUNT,
      cell: ({ amount, currency }) => <Money amount={amount} quote={currency} isWhole />,
    },
    {
      title: "Status",
      at: "state",
      cell: ({ status, sums }) => (
        <InvoiceStatus status={status} refunded={sums ? refundedOf(sums) : undefined} />
      ),
    },
    {
      title: "Created",
      isOrder: true,
      at: "age",
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    ...accountColumn<InvoiceRow>(visit),
    { title: "Paid", isMinor: true, cell: ({ paidAtMs }) => <Time atMs={paidAtMs} /> },
    {
      title: "Id",
      isNumber: true,
      at: "none",
      cell: ({ id }) => <a href={`${BASE}/invoices/${id}`}>{id}</a>,
    },
  ];
}

export const INVOICE_LIST_ROUTES = [invoicesPage, exportRoute];
