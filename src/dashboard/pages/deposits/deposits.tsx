import { surplusAlerts, usersOf } from "../../../store/reads/pages/deposits.ts";
import { ordersOf } from "../../../store/reads/pages/orders.ts";
import { TransactionAmounts } from "../../../store/reads/lists/amounts.ts";
import { transactionList, transactionsIn } from "../../../store/reads/pages/page.ts";
import type { AlertRow } from "../../../store/tables/alerts.ts";
import { topHeights } from "../../../store/reads/pages/transactions.ts";
import { withAccount } from "../../parts/account.tsx";
import { creditUrl } from "../../parts/alerts.tsx";
import { ExportLink } from "../../parts/csv.tsx";
import { Card, EmptyState, Time } from "../../parts/facts.tsx";
import { Fresh, freshFigures, freshQuery } from "../../parts/lists/fresh.tsx";
import { NoMatch } from "../../parts/lists/no_match.tsx";
import { COUNTED_MAX, Totals } from "../../parts/lists/totals.tsx";
import { movementColumns } from "../../parts/movements.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, isFirstPage, PagedTable, Table } from "../../parts/table.tsx";
import { TransactionFilter, transactionsWanted } from "../../parts/transaction_query.tsx";
import { page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { assetText } from "../../words/assets.ts";

const ROWS = 20;
const UNMATCHED_SHOWN = 20;

const depositsPage = page({
  path: "/deposits",
  ability: "see",
  nav: { label: "Payments", group: "Payments" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const query = { ...await transactionsWanted(visit, catalog), direction: "deposit" };
    const newest = { ...query, isOldestFirst: false };
    const isFirst = isFirstPage(visit);
    const [found, amounts, heights, unmatched] = await Promise.all([
      transactionList(db, { ...query, limit: ROWS }),
      isFirst ? transactionsIn(db, TransactionAmounts, { ...newest, limit: COUNTED_MAX }) : null,
      topHeights(db),
      visit.seesAll ? surplusAlerts(db, UNMATCHED_SHOWN) : [],
    ]);
    const [users, orders] = await Promise.all([usersOf(db, found.rows), ordersOf(db, found.rows)]);
    const seen = { visit, catalog, topHeights: heights };
    return (
      <Page
        visit={visit}
        title="Payments"
        actions={<Links visit={visit} />}
        isLive={isFirst && !visit.isOldestFirst}
        since={found.rows[0]?.id ?? 0}
      >
        {unmatched.length > 0 && <Unmatched visit={visit} rows={unmatched} />}
        <Card>
          <TransactionFilter visit={visit} catalog={catalog} hasDirection={false} />
          <div class="list-head">
            {amounts && <Totals word="payment" found={amounts} />}
            <Fresh visit={visit} words="payments" />
          </div>
          <PagedTable
            visit={visit}
            caption="Payments"
            found={found}
            columns={movementColumns(seen, { users, orders })}
            empty={<NoMatch visit={visit} none={<NoPayments visit={visit} />} />}
          />
        </Card>
      </Page>
    );
  },
  live: async (visit) => {
    const wanted = await transactionsWanted(visit, await visit.deps.catalog.current());
    const query = { ...wanted, ...freshQuery(visit), direction: "deposit" };
    const { rows } = await transactionsIn(visit.deps.db, TransactionAmounts, query);
    return freshFigures(rows.length, "payments");
  },
});

const NoPayments = ({ visit }: { visit: Visit }) => (
  <EmptyState
    title="No payments yet"
    next={
      <>
        {visit.may("GET", "/invoices/new") && (
          <a class="button" href={BASE + withAccount(visit, "/invoices/new")}>New invoice</a>
        )}
        {visit.may("GET", "/keys/new") && (
          <a class="button plain" href={BASE + withAccount(visit, "/keys/new")}>New API key</a>
        )}
      </>
    }
  >
    A payment appears here seconds after it was sent. Send a customer an invoice, or let your
    program request an address for each customer with an API key.
  </EmptyState>
);

const Links = ({ visit }: { visit: Visit }) => (
  <>
    {visit.isOperator && (
      <a class="button plain" href={`${BASE}/deposits/credit`}>Credit manually</a>
    )}
    <ExportLink visit={visit} path="/transactions" direction="deposit" />
  </>
);

const UNMATCHED: readonly Column<AlertRow>[] = [
  { title: "Found", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  { title: "Address", cell: (row) => <Place row={row} /> },
];

const CREDIT: Column<AlertRow> = {
  title: "Actions",
  isTitleHidden: true,
  cell: (row) => <a href={creditUrl(row)}>Review and credit</a>,
};

const Place = ({ row }: { row: AlertRow }) => {
  const [asset = "", address] = row.subject.split(" ");
  return (
    <>
      {assetText(asset)} <code class="whole">{address}</code>
    </>
  );
};

/** Mostly internal transfers that a node without traces does not show. */
const Unmatched = ({ visit, rows }: { visit: Visit; rows: readonly AlertRow[] }) => (
  <Card title="Unexplained surplus">
    <Table
      caption="Unexplained surplus"
      rows={rows}
      empty=""
      columns={visit.isAble("operate") ? [...UNMATCHED, CREDIT] : UNMATCHED}
    />
  </Card>
);

export const DEPOSIT_ROUTES = [depositsPage];
