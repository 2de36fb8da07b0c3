import { pageOf } from "../../operations/lists/list.ts";
import { DEPOSITS } from "../lists/transactions.ts";
import { surplusAlerts } from "../reads/page.ts";
import { TransactionAmounts } from "../../store/lists/amounts.ts";
import type { AlertRow } from "../../alerts/table.ts";
import { topHeights } from "../reads/transactions.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import { creditUrl } from "../../dashboard/parts/alerts.tsx";
import { ExportLink } from "../../dashboard/parts/csv.tsx";
import { Card, EmptyState, Time } from "../../dashboard/parts/facts.tsx";
import { Fresh } from "../../dashboard/parts/lists/fresh.tsx";
import { NoMatch } from "../../dashboard/parts/lists/no_match.tsx";
import { Totals } from "../../dashboard/parts/lists/totals.tsx";
import { movementColumns } from "../../dashboard/parts/movements.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { knownOf } from "../../dashboard/parts/payers.ts";
import { type Column, isFirstPage, PagedTable, Table } from "../../dashboard/parts/table.tsx";
import {
  amountsFound,
  freshIn,
  ListFilters,
  listWanted,
} from "../../dashboard/parts/lists/listed.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const ROWS = 20;
const UNMATCHED_SHOWN = 20;

const depositsPage = page({
  path: "/deposits",
  ability: "see",
  nav: { label: "Payments", group: "Payments" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const wanted = listWanted(visit, DEPOSITS, catalog);
    const [found, amounts, heights, unmatched] = await Promise.all([
      pageOf(visit.deps, DEPOSITS, { ...wanted, limit: ROWS }),
      amountsFound(visit, { list: DEPOSITS, wanted, table: TransactionAmounts }),
      topHeights(db),
      visit.seesAll ? surplusAlerts(db, UNMATCHED_SHOWN) : [],
    ]);
    const known = await knownOf(visit, found.rows);
    const seen = { visit, catalog, topHeights: heights };
    return (
      <Page
        visit={visit}
        title="Payments"
        actions={<Links visit={visit} />}
        isLive={isFirstPage(visit) && !visit.isOldestFirst}
        since={found.rows[0]?.id ?? 0}
      >
        {unmatched.length > 0 && <Unmatched visit={visit} rows={unmatched} />}
        <Card>
          <ListFilters visit={visit} list={DEPOSITS} catalog={catalog} />
          <div class="list-head">
            {amounts && <Totals visit={visit} word="payment" found={amounts} />}
            <Fresh visit={visit} words="payments" />
          </div>
          <PagedTable
            visit={visit}
            caption="Payments"
            found={found}
            columns={movementColumns(seen, known)}
            empty={<NoMatch visit={visit} none={<NoPayments visit={visit} />} />}
          />
        </Card>
      </Page>
    );
  },
  live: (visit) => freshIn(visit, { list: DEPOSITS, table: TransactionAmounts, words: "payments" }),
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

const unmatched = (visit: Visit): Column<AlertRow>[] => [
  { title: "Found", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  { title: "Address", cell: (row) => <Place visit={visit} row={row} /> },
];

const CREDIT: Column<AlertRow> = {
  title: "Actions",
  isTitleHidden: true,
  cell: (row) => <a href={creditUrl(row)}>Review and credit</a>,
};

const Place = ({ visit, row }: { visit: Visit; row: AlertRow }) => {
  const [asset = "", address] = row.subject.split(" ");
  return (
    <>
      {visit.asset(asset)} <code class="whole">{address}</code>
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
      columns={visit.isAble("operate") ? [...unmatched(visit), CREDIT] : unmatched(visit)}
    />
  </Card>
);

export const DEPOSIT_ROUTES = [depositsPage];
