import { genuine } from "../../books/tampered.ts";
import { addressUrl, transactionUrl } from "../../dashboard/explorers.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import {
  accountColumn,
  AMOUNT,
  isAmongOthers,
  NETWORK,
  STATUS,
} from "../../dashboard/parts/columns.tsx";
import { ExportLink } from "../../dashboard/parts/csv.tsx";
import { Card, EmptyState, Hash, Long, Money, Time } from "../../dashboard/parts/facts.tsx";
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
import type { NetworkRow } from "../../networks/table.ts";
import { pageOf } from "../../operations/lists/list.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { WithdrawalAmounts } from "../../store/lists/amounts.ts";
import { WITHDRAWALS } from "../list.ts";
import { WITHDRAWAL_COLUMNS } from "../rules/fields.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";

const ROWS = 20;

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
    A program can pay with an API key that has the withdraw permission.
  </EmptyState>
);

const exportRoute = listCsv({
  path: "/withdrawals",
  list: WITHDRAWALS,
  columns: WITHDRAWAL_COLUMNS,
  lines: (deps, rows) => genuine(deps, Withdrawals, rows),
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
