import { genuine } from "../tampered.ts";
import { calendarPeriod, monthOf } from "../../domain/money/period.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";
import { type BalanceRow, Balances } from "../table.ts";
import { AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { availableOf } from "../../dashboard/parts/balances.tsx";
import { networkColumn } from "../../dashboard/parts/columns.tsx";
import { Card, Empty, Money } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { TotalWorth, type Worth, WorthAbove, worthFor } from "../../dashboard/parts/worth_now.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { balanceUrl } from "./_asset.ts";

const balancesPage = page({
  path: "/balances",
  ability: "see",
  nav: { label: "Balances", group: "Balances" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="Balances">
        <AccountChoice visit={visit} account={account} word="Of" />
        {account && <BalanceList visit={visit} accountId={account.id} />}
      </Page>
    );
  },
});

const BalanceList = async ({ visit, accountId }: { visit: Visit; accountId: number }) => {
  const { deps } = visit;
  const rows = await genuine(deps, Balances, await balancesOf(deps.db, accountId));
  const worth = await worthFor(deps, { accountId, assets: rows });
  return (
    <Card>
      {worth && <TotalWorth visit={visit} rows={rows} worth={worth} />}
      <Table
        caption="Balances"
        rows={rows}
        columns={columnsFor(visit, worth)}
        empty={<NothingYet />}
      />
    </Card>
  );
};

const NothingYet = () => (
  <Empty>
    Nothing has been booked yet. After the first confirmed{" "}
    <a href={`${BASE}/deposits`}>deposit</a>, its balance and every change of it are shown here.
  </Empty>
);

function columnsFor(visit: Visit, worth: Worth | undefined): Column<BalanceRow>[] {
  return [
    {
      title: "Currency",
      at: "title",
      cell: (row) => (
        <a href={balanceUrl(visit, row)}>
          <strong>{row.currency}</strong>
        </a>
      ),
    },
    { ...networkColumn(visit), at: "state" },
    {
      title: "Balance",
      isNumber: true,
      isMixed: true,
      at: "amount",
      cell: (row) => (
        <>
          <WorthAbove row={row} worth={worth} /> <Money amount={row.balance} />
        </>
      ),
    },
    {
      ...{ title: "Held", isNumber: true, isMixed: true, isMinor: true },
      cell: ({ held }) => <Money amount={held} />,
    },
    {
      ...{ title: "Available", isNumber: true, isMixed: true },
      cell: (row) => <Money amount={availableOf(row)} />,
    },
    {
      title: lastMonth(visit).name,
      at: "age",
      cell: (row) => <LastMonth visit={visit} row={row} />,
    },
  ];
}

function lastMonth({ nowMs }: Visit): { period: string; name: string } {
  const period = monthOf(nowMs, 1);
  return { period, name: calendarPeriod(period)?.name ?? period };
}

/** What an accountant comes for, one click from here. */
const LastMonth = ({ visit, row }: { visit: Visit; row: BalanceRow }) => {
  const { period, name } = lastMonth(visit);
  const of = `of ${visit.coin(row)}, ${name}`;
  const url = (page: string) => balanceUrl(visit, row, { page, period });
  return (
    <span class="links">
      <a href={url("/statement")} aria-label={`Statement ${of}`}>Statement</a>{" "}
      <a href={url("/ledger.csv")} aria-label={`CSV ${of}`} download>CSV</a>
    </span>
  );
};

export const BALANCE_LIST_ROUTES = [balancesPage];
