import { keysOf } from "../../../base/lists.ts";
import type { Period } from "../../../domain/money/period.ts";
import { WITHDRAWAL_MOVES } from "../../../domain/states/withdrawal_moves.ts";
import type { Catalog } from "../../../store/engine/catalog.ts";
import { withdrawalsListed } from "../../../store/reads/lists/withdrawals.ts";
import { withdrawalList } from "../../../store/reads/pages/page.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import type { WithdrawalRow } from "../../../store/tables/withdrawals.ts";
import { addressUrl, transactionUrl } from "../../explorers.ts";
import { csvRoute, ExportLink } from "../../parts/csv.tsx";
import { accountColumn, AMOUNT, NETWORK, STATUS } from "../../parts/columns.tsx";
import { Card, Hash, Money, Time } from "../../parts/facts.tsx";
import { AssetFilters, assetsWanted, ChoiceFilter } from "../../parts/filters.tsx";
import { DateFields, periodWanted } from "../../parts/lists/period.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Filter, PagedTable, pageFrom } from "../../parts/table.tsx";
import { page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { CSV_COLUMNS } from "./_csv_columns.ts";

const ROWS = 50;
const STATUSES = keysOf(WITHDRAWAL_MOVES);

const withdrawalsPage = page({
  path: "/withdrawals",
  nav: { label: "Payouts", group: "Payouts" },
  show: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const query = withdrawalsWanted(visit, catalog);
    const found = await withdrawalsFound(visit, { ...query, limit: ROWS });
    return (
      <Page
        visit={visit}
        title="Withdrawals"
        actions={<Links visit={visit} />}
      >
        <Card>
          <Filter visit={visit}>
            <ChoiceFilter visit={visit} name="status" label="Status" choices={STATUSES} />
            <AssetFilters visit={visit} catalog={catalog} />
            <DateFields visit={visit} />
          </Filter>
          <PagedTable
            visit={visit}
            caption="Withdrawals"
            found={found}
            columns={columnsFor(visit, catalog)}
            empty="No withdrawals"
          />
        </Card>
      </Page>
    );
  },
});

const Links = ({ visit }: { visit: Visit }) => (
  <>
    <ExportLink visit={visit} path="/withdrawals" />
    {visit.isAble("pay") && (
      <>
        <a class="button plain" href={`${BASE}/batches/new`}>Pay many at once</a>
        <a class="button" href={`${BASE}/withdrawals/new`}>New withdrawal</a>
      </>
    )}
  </>
);

function withdrawalsWanted(visit: Visit, catalog: Catalog) {
  return {
    ...assetsWanted(visit, catalog),
    status: visit.wanted("status", STATUSES),
    ...timesOf(periodWanted(visit, { otherwise: "all" })),
    cursor: visit.cursor,
  };
}

function timesOf({ fromMs, untilMs }: Period): Pick<Period, "fromMs" | "untilMs"> {
  return { fromMs, untilMs };
}

const exportRoute = csvRoute({
  path: "/withdrawals",
  columns: CSV_COLUMNS,
  wanted: async (visit) => withdrawalsWanted(visit, await visit.deps.catalog.current()),
  read: withdrawalsFound,
});

async function withdrawalsFound(
  { deps: { db, catalog, memory } }: Visit,
  { accountId, ...query }: ReturnType<typeof withdrawalsWanted> & { limit: number },
): Promise<{ rows: readonly WithdrawalRow[]; next: number | null }> {
  if (accountId === null) return await withdrawalList(db, query);
  const { network, currency, limit } = query;
  const { rows, next } = await withdrawalsListed(db, {
    ...query,
    accountId,
    spans: memory.idSpans,
    assets: (await catalog.current()).currencies.filter((one) =>
      (network === null || one.network === network) &&
      (currency === null || one.symbol === currency)
    ),
    isAssetChosen: network !== null || currency !== null,
    recipient: null,
    reference: null,
    limit: limit + 1,
  });
  return rows.length > limit ? pageFrom(rows, limit) : { rows, next };
}

function columnsFor(visit: Visit, catalog: Catalog): Column<WithdrawalRow>[] {
  return [
    { title: "Id", cell: ({ id }) => <a href={`${BASE}/withdrawals/${id}`}>{id}</a> },
    { title: "Requested", cell: ({ requestedAtMs }) => <Time atMs={requestedAtMs} /> },
    ...accountColumn<WithdrawalRow>(visit),
    { ...NETWORK, isMinor: true },
    AMOUNT,
    { title: "Fee", isNumber: true, isMinor: true, cell: ({ fee }) => <Money amount={fee} /> },
    {
      title: "To",
      cell: ({ network, toAddress }) => (
        <Hash text={toAddress} href={addressUrl(catalog.network(network), toAddress)} />
      ),
    },
    STATUS,
    {
      title: "Transaction",
      isMinor: true,
      cell: ({ network, txHash }) => <Sent network={catalog.network(network)} txHash={txHash} />,
    },
  ];
}

const Sent = (
  { network, txHash }: { network: NetworkRow | undefined; txHash: string | null },
) =>
  txHash === null
    ? <span class="quiet">–</span>
    : <Hash text={txHash} href={transactionUrl(network, txHash)} />;

export const WITHDRAWAL_LIST_ROUTES = [withdrawalsPage, exportRoute];
