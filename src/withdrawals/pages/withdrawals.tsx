import { genuine } from "../../books/tampered.ts";
import { addressUrl } from "../../dashboard/explorers.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import { accountColumn, isAmongOthers, STATUS } from "../../dashboard/parts/columns.tsx";
import { ExportLink } from "../../dashboard/parts/csv.tsx";
import { Card, EmptyState, Hash, Name, shortText, Time } from "../../dashboard/parts/facts.tsx";
import { Fresh } from "../../dashboard/parts/lists/fresh.tsx";
import {
  amountsFound,
  freshIn,
  listCsv,
  ListFilters,
  listWanted,
} from "../../dashboard/parts/lists/listed.tsx";
import { NoMatch } from "../../dashboard/parts/lists/no_match.tsx";
import { Totals } from "../../dashboard/parts/lists/totals.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, isFirstPage, PagedTable } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { pageOf } from "../../operations/lists/list.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { WithdrawalAmounts } from "../../store/lists/amounts.ts";
import { WITHDRAWALS } from "../list.ts";
import { payoutName, type PayoutsKnown, typedReference } from "../words/payout_name.ts";
import { payeeNames } from "../../payees/names.ts";
import { refundedInvoices } from "../../refunds/refunded_invoices.ts";
import { worthColumn, type Worths, worthsOfPayouts } from "../../dashboard/parts/worths.tsx";
import { WITHDRAWAL_COLUMNS } from "../rules/fields.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";

const ROWS = 20;
/** Of a refund an invoice is read, which may be large. */
const ROWS_AT_ONCE = 50;

const withdrawalsPage = page({
  path: "/withdrawals",
  ability: "see",
  nav: { label: "Payouts", group: "Payouts" },
  show: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const wanted = listWanted(visit, WITHDRAWALS, catalog);
    const [found, amounts] = await Promise.all([
      pageOf(visit.deps, WITHDRAWALS, { ...wanted, limit: ROWS }),
      amountsFound(visit, { list: WITHDRAWALS, wanted, table: WithdrawalAmounts }),
    ]);
    const [payees, refunds, worths] = await Promise.all([
      payeeNames(visit.deps, found.rows),
      refundedInvoices(visit.deps, found.rows),
      worthsOfPayouts(visit, found.rows),
    ]);
    return (
      <Page
        visit={visit}
        title="Payouts"
        actions={<Links visit={visit} />}
        isLive={isFirstPage(visit) && !visit.isOldestFirst}
        since={found.rows[0]?.id ?? 0}
      >
        <Card>
          <ListFilters visit={visit} list={WITHDRAWALS} catalog={catalog} />
          <div class="list-head">
            {amounts && <Totals visit={visit} word="payout" found={amounts} />}
            <Fresh visit={visit} words="payouts" />
          </div>
          <PagedTable
            visit={visit}
            caption="Payouts"
            found={found}
            columns={columnsFor(visit, { catalog, payees, refunds, worths })}
            empty={<NoMatch visit={visit} none={<NoPayouts visit={visit} />} />}
          />
        </Card>
      </Page>
    );
  },
  live: (visit) =>
    freshIn(visit, { list: WITHDRAWALS, table: WithdrawalAmounts, words: "payouts" }),
});

const Links = ({ visit }: { visit: Visit }) => (
  <>
    <ExportLink visit={visit} path="/withdrawals" />
    {visit.isAble("pay") && (
      <>
        <a class="button plain" href={BASE + withAccount(visit, "/batches/new")}>
          Pay many at once
        </a>
        <a class="button" href={BASE + withAccount(visit, "/withdrawals/new")}>New payout</a>
      </>
    )}
  </>
);

/** The buttons to make some are above. */
const NoPayouts = ({ visit }: { visit: Visit }) => (
  <EmptyState title="No payouts yet">
    {visit.isAble("pay") && "Make one with the button above, or pay many from a CSV file. "}
    Your shop can pay too, with an API key that may withdraw.
  </EmptyState>
);

const exportRoute = listCsv({
  path: "/withdrawals",
  list: WITHDRAWALS,
  columns: WITHDRAWAL_COLUMNS,
  rowsAtOnce: ROWS_AT_ONCE,
  lines: async (deps, found) => {
    const [rows, invoices] = await Promise.all([
      genuine(deps, Withdrawals, found),
      refundedInvoices(deps, found),
    ]);
    return rows.map((row) => ({ ...row, invoiceId: invoices.get(row.id)?.id ?? null }));
  },
});

/** What is known of payouts besides their rows. */
interface Known extends PayoutsKnown {
  readonly catalog: Catalog;
  readonly worths: Worths;
}

function columnsFor(visit: Visit, { catalog, worths, ...known }: Known): Column<WithdrawalRow>[] {
  return [
    { title: "Payout", at: "title", cell: (row) => <Named row={row} known={known} /> },
    worthColumn<WithdrawalRow>(visit, worths),
    STATUS,
    {
      ...{ title: "When", isOrder: true, at: "age" },
      cell: ({ requestedAtMs }) => <Time atMs={requestedAtMs} />,
    },
    ...accountColumn<WithdrawalRow>(visit),
    ...isAmongOthers(visit) ? [] : [toColumn(catalog)],
    {
      title: "Id",
      isNumber: true,
      at: "none",
      cell: ({ id }) => id,
    },
  ];
}

/** To whom, and below it what for. */
const Named = ({ row, known }: { row: WithdrawalRow; known: PayoutsKnown }) => {
  const reference = typedReference(row);
  const text = payoutName(row, known);
  return (
    <>
      <Name text={text} href={`${BASE}/withdrawals/${row.id}`} />{" "}
      {reference !== null && reference !== text && (
        <bdi class="below cut">{shortText(reference, REFERENCE_MAX)}</bdi>
      )}
    </>
  );
};

const REFERENCE_MAX = 40;

function toColumn(catalog: Catalog): Column<WithdrawalRow> {
  return {
    title: "To",
    isMinor: true,
    cell: ({ network, toAddress }) => (
      <Hash text={toAddress} href={addressUrl(catalog.network(network), toAddress)} />
    ),
  };
}

export const WITHDRAWAL_LIST_ROUTES = [withdrawalsPage, exportRoute];
