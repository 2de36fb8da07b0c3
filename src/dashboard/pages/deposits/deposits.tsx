import { surplusAlerts, usersOf } from "../../../store/reads/pages/deposits.ts";
import { transactionList } from "../../../store/reads/pages/page.ts";
import type { AlertRow } from "../../../store/tables/alerts.ts";
import { topHeights } from "../../../store/reads/pages/transactions.ts";
import { creditUrl } from "../../parts/alerts.tsx";
import { ExportLink } from "../../parts/csv.tsx";
import { Card, Time } from "../../parts/facts.tsx";
import { movementColumns } from "../../parts/movements.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, PagedTable, Table } from "../../parts/table.tsx";
import { TransactionFilter, transactionsWanted } from "../../parts/transaction_query.tsx";
import { page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";

const ROWS = 50;
const UNMATCHED_SHOWN = 20;

const depositsPage = page({
  path: "/deposits",
  nav: { label: "Payments", group: "Payments" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const query = { ...await transactionsWanted(visit, catalog), direction: "deposit" };
    const [found, heights, unmatched] = await Promise.all([
      transactionList(db, { ...query, limit: ROWS }),
      topHeights(db),
      visit.seesAll ? surplusAlerts(db, UNMATCHED_SHOWN) : [],
    ]);
    const users = await usersOf(db, found.rows);
    const seen = { visit, catalog, topHeights: heights };
    return (
      <Page
        visit={visit}
        title="Deposits"
        actions={<Links visit={visit} />}
      >
        {unmatched.length > 0 && <Unmatched visit={visit} rows={unmatched} />}
        <Card>
          <TransactionFilter visit={visit} catalog={catalog} hasDirection={false} />
          <PagedTable
            visit={visit}
            caption="Deposits"
            found={found}
            columns={movementColumns(seen, { users })}
            empty="No deposits"
          />
        </Card>
      </Page>
    );
  },
});

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
  const [asset, address] = row.subject.split(" ");
  return (
    <>
      {asset} <code class="whole">{address}</code>
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
