import { type TotalBalances, totalBalances } from "../../accounts/total_balances.ts";
import { type AssetMoney, moneyOf } from "../../payouts/money_of.ts";
import { lookAtWallets } from "../../wallets/look.ts";
import { byUrgency, WATCHED_MAX, type WatchedWallets, watchWallets } from "../../wallets/watch.ts";
import { walletsOf } from "../../wallets/reads/addresses.ts";
import { networkHealth } from "../../networks/reads/health.ts";
import { countNotices } from "../../notifications/reads/page.ts";
import { underWay } from "../reads.ts";
import { accountAsked } from "../../dashboard/parts/account.tsx";
import { BalanceCard, balanceFigures } from "../../dashboard/parts/balances.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { walletFigures, WalletTable } from "../../dashboard/parts/wallets.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { verdictOf } from "../../dashboard/words/verdict.ts";
import { AttentionCard, attentionFor } from "./_attention.tsx";
import { LatestCard, latestFigures, latestFor, latestKey } from "./_latest.tsx";
import { MoneyCard, moneyFigures, partNames } from "./_money.tsx";
import { TodayCard } from "./_today.tsx";
import { troublesOf, VerdictCard, verdictFigures } from "./_verdict.tsx";
import { ChainCard, chainFigures } from "./chains.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { VolumeCard } from "./volumes.tsx";

const WALLETS_SHOWN = 10;
/** If a node takes longer, the open page gets its answer later. */
const NODE_MS = 400;

const homePage = page({
  path: "/",
  ability: "see",
  nav: { label: "Home", group: "Home" },
  show: async (visit) => {
    const state = await presentState(visit);
    const { accountId, networks, cursors, balances, money, wallets } = state;
    return (
      <Page visit={visit} title="Home" reload={reloadOf(state)} isLive extra="home">
        <FirstSteps visit={visit} networks={networks} balances={balances.rows} />
        <VerdictCard verdict={state.verdict} />
        {money ? <MoneyCard money={money} /> : <BalanceCard balances={balances} />}
        <div class="halves">
          <LatestCard visit={visit} latest={state.latest} />
          <AttentionCard visit={visit} things={state.things} />
        </div>
        <TodayCard visit={visit} accountId={accountId} />
        <VolumeCard visit={visit} accountId={accountId} />
        <WalletCard visit={visit} wallets={wallets} />
        <ChainCard visit={visit} networks={networks} cursors={cursors} />
      </Page>
    );
  },
  isLiveForUser: true,
  live: async (visit) => {
    const state = await presentState(visit);
    const { money, balances, cursors, wallets, latest } = state;
    return {
      ...walletFigures(wallets.looks).figures,
      ...latestFigures(latest),
      reload: reloadOf(state),
      ...money ? moneyFigures(money) : balanceFigures(balances),
      ...verdictFigures(state.verdict),
      ...chainFigures(cursors, visit.nowMs),
    };
  },
});

type State = Awaited<ReturnType<typeof presentState>>;

/** What the page shows first, and again while it is open. */
async function presentState(visit: Visit) {
  const { db, catalog } = visit.deps;
  const accountId = (await accountAsked(visit))?.id ?? null;
  const found = await catalog.current();
  const [known, counts, notices, cursors, wallets, latest] = await Promise.all([
    balancesFor(visit, accountId),
    underWay(db, accountId),
    countNotices(db, accountId),
    networkHealth(db),
    walletsFor(visit, accountId),
    latestFor(visit, { catalog: found, accountId }),
  ]);
  const own = new Set(wallets.looks.map(({ network }) => network.code));
  const networks = accountId === null
    ? found.networks
    : found.networks.filter(({ code }) => own.has(code));
  const troubles = troublesOf(networks, cursors, visit.nowMs);
  const things = await attentionFor(visit, { troubles, looks: wallets.looks, accountId });
  const verdict = verdictOf({
    isStopped: visit.facts.standing.stop !== undefined,
    seesAll: accountId === null,
    troubles,
    notices: Math.max(notices, things.length),
    balances: known.balances.rows,
    confirming: counts.deposits,
  });
  return { accountId, networks, cursors, wallets, latest, things, verdict, ...known };
}

/** What loads an open page again. */
function reloadOf({ balances, money, wallets, latest, things, verdict }: State): string {
  const { levels } = walletFigures(wallets.looks);
  const keys = things.map(({ key }) => key);
  const parts = money ? partNames(money) : String(balances.rows?.length);
  return [verdict.tone, parts, levels, latestKey(latest), ...keys].join(" ");
}

interface Known {
  readonly balances: TotalBalances;
  /** Of one account only. */
  readonly money: readonly AssetMoney[] | undefined;
}

/** An account's own balances, or the sums of all accounts. */
async function balancesFor({ deps }: Visit, accountId: number | null): Promise<Known> {
  if (accountId === null) {
    return { balances: await totalBalances(deps, { waitMs: NODE_MS }), money: undefined };
  }
  const money = await moneyOf(deps, { accountId, waitMs: NODE_MS });
  return { balances: { rows: money.map(({ row }) => row) }, money };
}

async function walletsFor(
  { deps }: Visit,
  accountId: number | null,
): Promise<WatchedWallets> {
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

export const HOME_ROUTES = [homePage];
