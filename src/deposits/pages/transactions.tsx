import { genuine } from "../../books/tampered.ts";
import { type Ordered, ordersOf } from "../../invoices/reads/orders.ts";
import { pageOf } from "../../operations/lists/list.ts";
import { TRANSACTIONS } from "../lists/transactions.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { usersOf } from "../reads/page.ts";
import { CREDITED_STATUSES } from "../rules/transaction_moves.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { topHeights } from "../reads/transactions.ts";
import { type CsvColumn, ExportLink } from "../../dashboard/parts/csv.tsx";
import { Card, EmptyState } from "../../dashboard/parts/facts.tsx";
import { NoMatch } from "../../dashboard/parts/lists/no_match.tsx";
import { movementColumns } from "../../dashboard/parts/movements.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { PagedTable } from "../../dashboard/parts/table.tsx";
import { listCsv, ListFilters, listWanted } from "../../dashboard/parts/lists/listed.tsx";
import { valuesOfPayments } from "../../dashboard/parts/worths.tsx";
import { page } from "../../dashboard/routes.ts";

const ROWS = 20;
/** An invoice is read for each, which may be large. */
const ROWS_AT_ONCE = 50;
/** A row with what it was for and came to. */
interface Line extends TransactionRow {
  readonly user: string | undefined;
  readonly order: Ordered | undefined;
  readonly worth: { readonly value: string; readonly currency: string } | undefined;
}

/** Programs may count them, so new ones go to the end. */
const CSV_COLUMNS: readonly CsvColumn<Line>[] = [
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
  ["invoice_id", ({ order }) => order?.id],
  ["reference", ({ order }) => order?.reference],
  ["description", ({ order }) => order?.description],
  ["customer", ({ order }) => order?.customer],
  ["value", ({ worth }) => worth?.value],
  ["value_currency", ({ worth }) => worth?.currency],
];

const transactionsPage = page({
  path: "/transactions",
  ability: "see",
  nav: { label: "All transactions", group: "Payments" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const wanted = listWanted(visit, TRANSACTIONS, catalog);
    const [found, heights] = await Promise.all([
      pageOf(visit.deps, TRANSACTIONS, { ...wanted, limit: ROWS }),
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
          <ListFilters visit={visit} list={TRANSACTIONS} catalog={catalog} />
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

const exportRoute = listCsv({
  path: "/transactions",
  list: TRANSACTIONS,
  columns: CSV_COLUMNS,
  rowsAtOnce: ROWS_AT_ONCE,
  lines: async (deps, found) => {
    const rows = await genuine(deps, Transactions, found);
    const payments = rows.filter(({ direction }) => direction === "deposit");
    const [users, orders, values] = await Promise.all([
      usersOf(deps.db, rows),
      ordersOf(deps.db, payments),
      valuesOfPayments(deps, payments.filter(({ status }) => CREDITED_STATUSES.includes(status))),
    ]);
    return rows.map((row) => ({
      ...row,
      user: users.get(row.addressId ?? 0),
      order: orders.get(row.id),
      worth: values.get(row.id),
    }));
  },
});

export const TRANSACTION_ROUTES = [transactionsPage, exportRoute];
