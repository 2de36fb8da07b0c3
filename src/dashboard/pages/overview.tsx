import { lookAtWallets } from "../../actions/wallets/look.ts";
import { type TotalBalances, totalBalances } from "../../actions/accounts/total_balances.ts";
import {
  byUrgency,
  WATCHED_MAX,
  type WatchedWallets,
  watchWallets,
} from "../../actions/wallets/watch.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { walletsOf } from "../../store/reads/addresses.ts";
import { alerts, balancesOf } from "../../store/reads/pages/lists.ts";
import { networkHealth } from "../../store/reads/health.ts";
import { underWay } from "../../store/reads/pages/overview.ts";
import type { AlertRow } from "../../store/tables/alerts.ts";
import { AlertPlace } from "../parts/alerts.tsx";
import { BalanceCard, balanceFigures } from "../parts/balances.tsx";
import { ConfirmingCard, confirmingFigures, confirmingFor } from "../parts/confirming.tsx";
import { Card, Time } from "../parts/facts.tsx";
import { Page } from "../parts/page.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { walletFigures, WalletTable } from "../parts/wallets.tsx";
import { page } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";
import { ChainCard, chainFigures } from "./chains.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { VolumeCard } from "./volumes.tsx";
import { countText, Tiles } from "./_tiles.tsx";

const ALERTS_SHOWN = 5;
const WALLETS_SHOWN = 10;
/** If a node takes longer, the open page gets its answer later. */
const NODE_MS = 400;

const overviewPage = page({
  path: "/",
  nav: { label: "Home", group: "Home" },
  show: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const { networks } = catalog;
    const [open, state] = await Promise.all([
      visit.seesAll ? alerts(visit.deps.db, { isOpen: true, limit: ALERTS_SHOWN }) : [],
      presentState(visit, catalog),
    ]);
    const { balances, counts, cursors, wallets, confirming } = state;
    return (
      <Page visit={visit} title="Home" isLive>
        <FirstSteps visit={visit} networks={networks} balances={balances.rows} />
        <Tiles visit={visit} counts={counts} />
        {open.length > 0 && <AlertCard rows={open} />}
        <WalletCard visit={visit} wallets={wallets} />
        <ConfirmingCard visit={visit} confirming={confirming} />
        <BalanceCard balances={balances} />
        <VolumeCard visit={visit} />
        <ChainCard visit={visit} networks={networks} cursors={cursors} />
      </Page>
    );
  },
  live: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const { balances, counts, cursors, wallets, confirming } = await presentState(visit, catalog);
    const { figures, levels } = walletFigures(wallets.looks);
    return {
      ...figures,
      ...confirmingFigures(confirming),
      reload: [balances.rows?.length, levels, ...confirming.progress.keys()].join(" "),
      ...balanceFigures(balances),
      "count-deposits": countText(counts.deposits),
      "count-withdrawals": countText(counts.withdrawals),
      "count-alerts": countText(counts.alerts),
      ...chainFigures(cursors, visit.deps.clock.nowMs()),
    };
  },
});

/** What the page shows first, and again while it is open. */
async function presentState(visit: Visit, catalog: Catalog) {
  const { db } = visit.deps;
  const [balances, counts, cursors, wallets, confirming] = await Promise.all([
    balancesFor(visit),
    underWay(db, visit.accountId),
    networkHealth(db),
    walletsFor(visit),
    confirmingFor(visit, catalog),
  ]);
  return { balances, counts, cursors, wallets, confirming };
}

/** A merchant's own balances, or the sums of all accounts for an operator. */
async function balancesFor({ deps, accountId }: Visit): Promise<TotalBalances> {
  if (accountId === null) return await totalBalances(deps, { waitMs: NODE_MS });
  return { rows: await balancesOf(deps.db, accountId) };
}

async function walletsFor({ deps, accountId }: Visit): Promise<WatchedWallets> {
  if (accountId === null) {
    return await watchWallets(deps, { shownMax: WALLETS_SHOWN, waitMs: NODE_MS });
  }
  const rows = await walletsOf(deps.db, accountId);
  const looks = byUrgency(await lookAtWallets(deps, { rows, waitMs: NODE_MS }));
  return { looks: looks.slice(0, WALLETS_SHOWN), isCut: looks.length > WALLETS_SHOWN };
}

const WalletCard = (
  { visit, wallets: { looks, isCut } }: { visit: Visit; wallets: WatchedWallets },
) => (
  <Card title="Hot and gas wallets" actions={<a href={`${BASE}/wallets`}>All wallets</a>}>
    {isCut && (
      <p class="quiet">
        Not all wallets are shown. Halted, empty and low ones{" "}
        {visit.seesAll && `among the first ${WATCHED_MAX} `}come first.
      </p>
    )}
    <WalletTable visit={visit} looks={looks} />
  </Card>
);

const ALERT_COLUMNS: readonly Column<AlertRow>[] = [
  { title: "Since", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  { title: "Alert", cell: ({ message }) => message },
  { title: "Page", isTitleHidden: true, cell: (row) => <AlertPlace row={row} /> },
];

const AlertCard = ({ rows }: { rows: readonly AlertRow[] }) => (
  <Card title="Needs attention" actions={<a href={`${BASE}/alerts`}>All alerts</a>}>
    <Table
      caption="Open alerts"
      rows={rows}
      empty=""
      columns={ALERT_COLUMNS}
    />
  </Card>
);

export const OVERVIEW_ROUTES = [overviewPage];
