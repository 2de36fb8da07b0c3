import { genuine } from "../../books/tampered.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import { accountColumn, AMOUNT } from "../../dashboard/parts/columns.tsx";
import { type CsvColumn, ExportLink } from "../../dashboard/parts/csv.tsx";
import { Card, EmptyState, Money, Name, Time } from "../../dashboard/parts/facts.tsx";
import { Fresh } from "../../dashboard/parts/lists/fresh.tsx";
import {
  amountsFound,
  freshIn,
  listCsv,
  ListFilters,
  listWanted,
} from "../../dashboard/parts/lists/listed.tsx";
import { NoMatch } from "../../dashboard/parts/lists/no_match.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, isFirstPage, PagedTable } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { orderName } from "../../dashboard/words/orders.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { INVOICES } from "../lists/invoices.ts";
import { InvoiceStatus } from "./_status.tsx";
import { InvoiceTotals } from "./_totals.tsx";
import { isBegun, refundedOf } from "../rules/sums.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import { pageOf } from "../../operations/lists/list.ts";
import { InvoiceAmounts } from "../../store/lists/amounts.ts";

/** Without the payer's link, because whoever gets the file doesn't need it. */
const CSV_COLUMNS: readonly CsvColumn<InvoiceRow>[] = [
  ["id", ({ id }) => id],
  ["account_id", ({ accountId }) => accountId],
  ["reference", ({ reference }) => reference],
  ["created_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ["expires_at", ({ expiresAtMs }) => isoUtc(expiresAtMs)],
  ["paid_at", ({ paidAtMs }) => isoUtcOrNull(paidAtMs)],
  ["cancelled_at", ({ cancelledAtMs }) => isoUtcOrNull(cancelledAtMs)],
  ["amount", ({ amount }) => amount],
  ["currency", ({ currency }) => currency],
  ["status", ({ status }) => status],
  ["customer", ({ customer }) => customer],
  ["description", ({ description }) => description],
];

const ROWS = 20;

const invoicesPage = page({
  path: "/invoices",
  ability: "see",
  nav: { label: "Invoices", group: "Payments" },
  show: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const wanted = listWanted(visit, INVOICES, catalog);
    const [found, amounts] = await Promise.all([
      pageOf(visit.deps, INVOICES, { ...wanted, limit: ROWS }),
      amountsFound(visit, { list: INVOICES, wanted, table: InvoiceAmounts }),
    ]);
    return (
      <Page
        visit={visit}
        title="Invoices"
        actions={<Links visit={visit} />}
        isLive={isFirstPage(visit) && !visit.isOldestFirst}
        since={found.rows[0]?.id ?? 0}
      >
        <Card>
          <ListFilters visit={visit} list={INVOICES} catalog={catalog} />
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
  live: (visit) => freshIn(visit, { list: INVOICES, table: InvoiceAmounts, words: "invoices" }),
});

const Links = ({ visit }: { visit: Visit }) => (
  <>
    <ExportLink visit={visit} path="/invoices" />
    {visit.may("GET", "/invoices/new") && (
      <a class="button" href={BASE + withAccount(visit, "/invoices/new")}>New invoice</a>
    )}
  </>
);

const exportRoute = listCsv({
  path: "/invoices",
  list: INVOICES,
  columns: CSV_COLUMNS,
  rowsAtOnce: 50,
  lines: (deps, rows) => genuine(deps, Invoices, rows),
});

const NoInvoices = ({ visit }: { visit: Visit }) => (
  <EmptyState title="No invoices yet">
    {visit.may("GET", "/invoices/new") && "Create one with the button above. "}
    Your shop can create them too, with an API key that may manage invoices.
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
        <InvoiceStatus
          status={status}
          isBegun={sums !== null && isBegun(sums)}
          refunded={sums ? refundedOf(sums) : undefined}
        />
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
