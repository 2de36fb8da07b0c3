import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { usersOf } from "../../store/reads/pages/deposits.ts";
import { transactionList } from "../../store/reads/pages/page.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { topHeights } from "../../store/reads/pages/transactions.ts";
import { type CsvColumn, csvRoute, ExportLink, genuinePage } from "../parts/csv.tsx";
import { Card, EmptyState } from "../parts/facts.tsx";
import { NoMatch } from "../parts/lists/no_match.tsx";
import { movementColumns } from "../parts/movements.tsx";
import { Page } from "../parts/page.tsx";
import { PagedTable } from "../parts/table.tsx";
import { TransactionFilter, transactionsWanted } from "../parts/transaction_query.tsx";
import { page } from "../routes.ts";

const ROWS = 20;
const CSV_COLUMNS: readonly CsvColumn<TransactionRow & { user: string | undefined }>[] = [
  ["id", ({ id }) => id],
  ["account_id", ({ accountId }) => accountId],
  ["detected_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ["confirmed_at", ({ confirmedAtMs }) => isoUtcOrNull(confirmedAtMs)],
  ["direction", ({ direction }) => direction],
  ["network", ({ network }) => network],
  ["currency", ({ currency }) => currency],
  ["amount", ({ amount }) => amount],
  ["status", ({ status }) => status],
  ["below_minimum", ({ isBelowMinimum }) => isBelowMinimum],
  ["tx_hash", ({ txHash }) => txHash],
  ["block_number", ({ blockNumber }) => blockNumber],
  ["from_address", ({ fromAddress }) => fromAddress],
  ["to_address", ({ toAddress }) => toAddress],
  ["withdrawal_id", ({ withdrawalId }) => withdrawalId],
  ["user_identifier", ({ user }) => user],
];

const transactionsPage = page({
  path: "/transactions",
  ability: "see",
  nav: { label: "All transactions", group: "Payments" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const [found, heights] = await Promise.all([
      transactionList(db, { ...await transactionsWanted(visit, catalog), limit: ROWS }),
      topHeights(db),
    ]);
    const seen = { visit, catalog, topHeights: heights };
    return (
      <Page
        visit={visit}
        title="Transactions"
        actions={<ExportLink visit={visit} path="/transactions" />}
      >
        <Card>
          <TransactionFilter visit={visit} catalog={catalog} hasDirection />
          <PagedTable
            visit={visit}
            caption="Transactions"
            found={found}
            columns={movementColumns(seen)}
            empty={<NoMatch visit={visit} none={NONE} />}
          />
        </Card>
      </Page>
    );
  },
});

const NONE = (
  <EmptyState title="No transactions yet">
    Deposits, payouts, sweeps and their gas appear here as soon as the chain has them.
  </EmptyState>
);

const exportRoute = csvRoute({
  path: "/transactions",
  ability: "see",
  columns: CSV_COLUMNS,
  wanted: async (visit) => await transactionsWanted(visit, await visit.deps.catalog.current()),
  read: async ({ deps }, query) => {
    const { db } = deps;
    const { rows, next } = await genuinePage(deps, Transactions, await transactionList(db, query));
    const users = await usersOf(db, rows);
    return { rows: rows.map((row) => ({ ...row, user: users.get(row.addressId ?? 0) })), next };
  },
});

export const TRANSACTION_ROUTES = [transactionsPage, exportRoute];
