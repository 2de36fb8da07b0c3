import { networkName } from "../../networks/catalogue.ts";
import { type TotalBalances, totalBalances } from "../../accounts/total_balances.ts";
import { accountAsked } from "../../dashboard/parts/account.tsx";
import { BalanceCard, balanceFigures } from "../../dashboard/parts/balances.tsx";
import { Age, Card, EmptyState, Name, Status } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Known as KnownPayments, knownOf, stateIn } from "../../dashboard/parts/payers.ts";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { walletFigures, walletsTitle, WalletTable } from "../../dashboard/parts/wallets.tsx";
import { worthColumn } from "../../dashboard/parts/worths.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { paymentName } from "../../dashboard/words/orders.ts";
import { type NetworkTrouble, type Verdict, verdictOf } from "../../dashboard/words/verdict.ts";
import { DEPOSITS } from "../../deposits/lists/transactions.ts";
import { topHeights } from "../../deposits/reads/transactions.ts";
import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import type { NetworkCursorRow } from "../../following/table.ts";
import { StillBeforeMoney } from "./_before_money.tsx";
import { AttentionCard, attentionFor } from "./_attention.tsx";
import { MoneyCard, moneyFigures, partNames } from "./_money.tsx";
import { pricedIn, type Worth, worthFor } from "../../dashboard/parts/worth_now.tsx";
import { NetworkCard, networkFigures } from "./_networks.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { VolumeCard } from "./volumes.tsx";
import { underWay } from "../reads.ts";
import { stateOf } from "../../networks/pages/network_state.ts";
import { networkHealth } from "../../networks/reads/health.ts";
import { secondsSinceAnswer } from "../../networks/rules/network_health.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { countNotices } from "../../notifications/reads/page.ts";
import { rowsOf } from "../../operations/lists/list.ts";
import { type AssetMoney, moneyOf } from "../../payouts/money_of.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { lookAtWallets } from "../../wallets/look.ts";
import { walletsOf } from "../../wallets/reads/addresses.ts";
import { byUrgency, WATCHED_MAX, type WatchedWallets, watchWallets } from "../../wallets/watch.ts";

const TROUBLES = ["halted", "silent", "stalled", "behind"] as const;

const SHOWN = 6;

const LatestCard = ({ visit, latest }: { visit: Visit; latest: Latest }) => (
  <Card title="Latest payments" actions={<a href={`${BASE}/deposits`}>All payments</a>}>
    <Table
      caption="Latest payments"
      rows={latest.rows}
      columns={columnsFor(visit, latest)}
      empty={
        <EmptyState
          title="No payments yet"
          next={visit.may("GET", "/invoices/new") && (
            <a class="button" href={`${BASE}/invoices/new`}>Create an invoice</a>
          )}
        >
          An invoice has a page where customers pay. Its payments show up here at once.
        </EmptyState>
      }
    />
  </Card>
);

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
        {balances.rows?.length !== 0 && <StillBeforeMoney visit={visit} />}
        {money
          ? <MoneyCard visit={visit} money={money} worth={state.worth} />
          : <BalanceCard visit={visit} balances={balances} />}
        <div class="halves">
          <VolumeCard visit={visit} accountId={accountId} />
          <AttentionCard visit={visit} things={state.things} />
        </div>
        <LatestCard visit={visit} latest={state.latest} />
        <WalletCard visit={visit} wallets={wallets} />
        {(accountId === null || state.troubles.length > 0) && (
          <NetworkCard visit={visit} networks={networks} cursors={cursors} />
        )}
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
      ...money ? moneyFigures(money, state.worth) : balanceFigures(balances),
      ...verdictFigures(state.verdict),
      ...networkFigures(cursors, visit.nowMs),
    };
  },
});

type State = Awaited<ReturnType<typeof presentState>>;

/** What the page shows first, and again while it is open. */
async function presentState(visit: Visit) {
  const { db, catalog } = visit.deps;
  const accountId = (await accountAsked(visit))?.id ?? null;
  const found = await catalog.current();
  const [known, counts, alerts, cursors, wallets, latest] = await Promise.all([
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
    alerts,
    isAnythingListed: things.some(({ tone }) => tone !== "plain"),
    balances: known.balances.rows,
    coin: (row) => visit.coin(row),
    confirming: counts.deposits,
  });
  return { accountId, networks, cursors, troubles, wallets, latest, things, verdict, ...known };
}

/** What loads an open page again. */
function reloadOf(
  { balances, money, worth, wallets, latest, things, verdict }: State,
): string {
  const { levels } = walletFigures(wallets.looks);
  const keys = things.map(({ key }) => key);
  const parts = money ? partNames(money) : String(balances.rows?.length);
  const priced = worth ? pricedIn(worth, money?.map(({ row }) => row) ?? []) : "";
  return [verdict.tone, parts, priced, levels, latestKey(latest), ...keys].join(" ");
}

interface Known {
  readonly balances: TotalBalances;
  /** Of one account only. */
  readonly money: readonly AssetMoney[] | undefined;
  readonly worth: Worth | undefined;
}

/** An account's own balances, or the sums of all accounts. */
async function balancesFor({ deps }: Visit, accountId: number | null): Promise<Known> {
  if (accountId === null) {
    return { balances: await totalBalances(deps, { waitMs: NODE_MS }), ...NO_MONEY };
  }
  const money = await moneyOf(deps, { accountId, waitMs: NODE_MS });
  const rows = money.map(({ row }) => row);
  const worth = await worthFor(deps, { accountId, assets: rows });
  return { balances: { rows }, money, worth };
}

const NO_MONEY = { money: undefined, worth: undefined };

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
  <Card title={walletsTitle(looks)} actions={<a href={`${BASE}/wallets`}>All wallets</a>}>
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

/** The newest payments, with the progress of those that are confirming. */
interface Latest {
  readonly rows: readonly TransactionRow[];
  readonly known: KnownPayments;
  readonly progress: ReadonlyMap<number, string>;
}

async function latestFor(
  visit: Visit,
  { catalog, accountId }: { catalog: Catalog; accountId: number | null },
): Promise<Latest> {
  const { deps, deps: { db } } = visit;
  const [{ rows }, heights] = await Promise.all([
    rowsOf(deps, DEPOSITS, { accountId, values: {}, cursor: null, limit: SHOWN }),
    topHeights(db),
  ]);
  const confirming = rows.filter(({ status }) => status === "detected");
  const progress = confirming.map((row) => {
    const needed = catalog.network(row.network)?.minConfirmations;
    return [
      row.id,
      `${confirmationsOf(heights.get(row.network) ?? 0, row)} of ${needed} blocks`,
    ] as const;
  });
  return { rows, known: await knownOf(visit, rows), progress: new Map(progress) };
}

function columnsFor(visit: Visit, { progress, known }: Latest): Column<TransactionRow>[] {
  return [
    {
      title: "Payment",
      at: "title",
      cell: (row) => <Name text={paymentName(row, known)} href={`${BASE}/deposits/${row.id}`} />,
    },
    worthColumn<TransactionRow>(visit, known.worths),
    {
      title: "Status",
      at: "state",
      cell: (row) => (
        <>
          <Status value={stateIn(known, row)} />{" "}
          {progress.has(row.id) && (
            <span class="quiet small" id={figureId(row.id)}>{progress.get(row.id)}</span>
          )}
        </>
      ),
    },
    {
      title: "Age",
      at: "age",
      isNumber: true,
      cell: ({ createdAtMs }) => <Age atMs={createdAtMs} nowMs={visit.nowMs} />,
    },
  ];
}

/** For an open page; another row or status loads it again. */
function latestFigures({ progress }: Latest): Record<string, string> {
  return Object.fromEntries([...progress].map(([id, text]) => [figureId(id), text]));
}

function latestKey({ rows, known }: Latest): string {
  return rows.map((row) => `${row.id} ${stateIn(known, row)}`).join();
}

function figureId(id: number): string {
  return `confirming-${id}`;
}

/** The colour repeats what the words and the mark say. */
const VerdictCard = ({ verdict: { tone, lead, text } }: { verdict: Verdict }) => (
  <section class={`verdict ${tone}`} role="status" aria-label="Is my money all right?">
    <p>
      <strong id="verdict-lead">{lead}</strong> <span id="verdict-text">{text}</span>
    </p>
  </section>
);

/** For an open page; another tone loads it again. */
function verdictFigures(verdict: ReturnType<typeof verdictOf>) {
  return { "verdict-lead": verdict.lead, "verdict-text": verdict.text };
}

/** Networks that can't be read properly now, the worst first. */
function troublesOf(
  networks: readonly NetworkRow[],
  cursors: readonly NetworkCursorRow[],
  nowMs: number,
): NetworkTrouble[] {
  const found = networks.flatMap((row) => {
    const cursor = cursors.find(({ network }) => network === row.code);
    const state = TROUBLES.find((one) => one === stateOf(row, cursor, nowMs));
    if (!state || !cursor) return [];
    const { code } = row;
    return [{
      code,
      name: networkName(row),
      state,
      forS: secondsWithout(cursor, { state, nowMs }),
    }];
  });
  return found.toSorted((a, b) => TROUBLES.indexOf(a.state) - TROUBLES.indexOf(b.state));
}

function secondsWithout(
  cursor: NetworkCursorRow,
  { state, nowMs }: { state: NetworkTrouble["state"]; nowMs: number },
): number | null {
  if (state !== "stalled" || cursor.tipAtMs === null) return secondsSinceAnswer(cursor, nowMs);
  return Math.floor((nowMs - cursor.tipAtMs) / 1_000);
}
