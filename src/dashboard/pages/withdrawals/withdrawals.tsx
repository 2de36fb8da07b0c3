import type { Catalog } from "../../../store/engine/catalog.ts";
import { WithdrawalAmounts } from "../../../store/reads/lists/amounts.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import { type WithdrawalRow, Withdrawals } from "../../../store/tables/withdrawals.ts";
import { addressUrl, transactionUrl } from "../../explorers.ts";
import { withAccount } from "../../parts/account.tsx";
import { csvRoute, ExportLink, genuinePage } from "../../parts/csv.tsx";
import { accountColumn, AMOUNT, isAmongOthers, NETWORK, STATUS } from "../../parts/columns.tsx";
import { Card, EmptyState, Hash, Long, Money, Time } from "../../parts/facts.tsx";
import { AssetFilters, ChoiceFilter, InvoiceFilter, TextFilter } from "../../parts/filters.tsx";
import { Fresh, freshFigures, freshQuery } from "../../parts/lists/fresh.tsx";
import { NoMatch } from "../../parts/lists/no_match.tsx";
import { DateFields, DatePresets } from "../../parts/lists/period.tsx";
import { Totals } from "../../parts/lists/totals.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Filters, isFirstPage, PagedTable } from "../../parts/table.tsx";
import { page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { CSV_COLUMNS } from "./_csv_columns.ts";
import { amountsFound, STATUSES, withdrawalsFound, withdrawalsWanted } from "./_listed.ts";

const ROWS = 20;

const withdrawalsPage = page({
  path: "/withdrawals",
  ability: "see",
  nav: { label: "Payouts", group: "Payouts" },
  show: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const query = withdrawalsWanted(visit, catalog);
    const isFirst = isFirstPage(visit);
    const [found, amounts] = await Promise.all([
      withdrawalsFound(visit, Withdrawals, { ...query, limit: ROWS }),
      isFirst ? amountsFound(visit, query) : null,
    ]);
    return (
      <Page
        visit={visit}
        title="Payouts"
        actions={<Links visit={visit} />}
        isLive={isFirst && !visit.isOldestFirst}
        since={found.rows[0]?.id ?? 0}
      >
        <Card>
          <DatePresets visit={visit} />
          <Filters visit={visit}>
            <ChoiceFilter visit={visit} name="status" label="Status" choices={STATUSES} />
            <AssetFilters visit={visit} catalog={catalog} />
            <TextFilter visit={visit} name="reference" label="Reference" />
            <InvoiceFilter visit={visit} />
            <DateFields visit={visit} />
          </Filters>
          <div class="list-head">
            {amounts && <Totals word="payout" found={amounts} />}
            <Fresh visit={visit} words="payouts" />
          </div>
          <PagedTable
            visit={visit}
            caption="Payouts"
            found={found}
            columns={columnsFor(visit, catalog)}
            empty={<NoMatch visit={visit} none={<NoPayouts visit={visit} />} />}
          />
        </Card>
      </Page>
    );
  },
  live: async (visit) => {
    const wanted = withdrawalsWanted(visit, await visit.deps.catalog.current());
    const query = { ...wanted, ...freshQuery(visit) };
    const { rows } = await withdrawalsFound(visit, WithdrawalAmounts, query);
    return freshFigures(rows.length, "payouts");
  },
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
    A program can pay with an API key that has the withdraw permission.
  </EmptyState>
);

const exportRoute = csvRoute({
  path: "/withdrawals",
  ability: "see",
  columns: CSV_COLUMNS,
  wanted: async (visit) => withdrawalsWanted(visit, await visit.deps.catalog.current()),
  read: async (visit, query) =>
    await genuinePage(visit.deps, Withdrawals, await withdrawalsFound(visit, Withdrawals, query)),
});

const FEE: Column<WithdrawalRow> = {
  title: "Fee",
  isNumber: true,
  isMinor: true,
  cell: ({ fee }) => <Money amount={fee} />,
};

function sentColumn(catalog: Catalog): Column<WithdrawalRow> {
  return {
    title: "Transaction",
    isMinor: "first",
    cell: (row) => <Sent network={catalog.network(row.network)} row={row} />,
  };
}

function columnsFor(visit: Visit, catalog: Catalog): Column<WithdrawalRow>[] {
  return [
    {
      title: "Id",
      isNumber: true,
      at: "open",
      cell: ({ id }) => <a href={`${BASE}/withdrawals/${id}`}>{id}</a>,
    },
    {
      ...{ title: "Requested", isOrder: true, at: "age" },
      cell: ({ requestedAtMs }) => <Time atMs={requestedAtMs} />,
    },
    ...accountColumn<WithdrawalRow>(visit),
    { ...NETWORK, isMinor: true },
    AMOUNT,
    ...isAmongOthers(visit) ? [] : [FEE],
    {
      title: "To",
      at: "title",
      cell: ({ network, toAddress }) => (
        <Hash text={toAddress} href={addressUrl(catalog.network(network), toAddress)} />
      ),
    },
    STATUS,
    {
      title: "Reference",
      isMinor: true,
      cell: ({ clientReference }) =>
        clientReference === null ? <span class="quiet">–</span> : <Long text={clientReference} />,
    },
    ...isAmongOthers(visit) ? [] : [sentColumn(catalog)],
  ];
}

/** Another transaction was mined in its place, or none. */
const NEVER_MINED = ["dropped", "expired", "broadcast_rejected"];

const Sent = ({ network, row }: { network: NetworkRow | undefined; row: WithdrawalRow }) => {
  const { txHash, failureReason } = row;
  return txHash === null || NEVER_MINED.includes(failureReason ?? "")
    ? <span class="quiet">–</span>
    : <Hash text={txHash} href={transactionUrl(network, txHash)} />;
};

export const WITHDRAWAL_LIST_ROUTES = [withdrawalsPage, exportRoute];
