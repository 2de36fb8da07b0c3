import { NodeError } from "../../chains/chain.ts";
import { Amount } from "../../domain/amount.ts";
import { deadlineIn, OutOfTime } from "../../base/deadline.ts";
import { gasWallets, hotWalletPage, walletsOf } from "../../store/address_reads.ts";
import type { AddressRow, NetworkRow } from "../../store/rows.ts";
import { ReceivingWallets } from "../../store/setup_tables.ts";
import { accountOf, AccountPicker } from "../parts/account.tsx";
import { Card, Hash, Money, Status } from "../parts/facts.tsx";
import { accountColumn } from "../parts/movements.tsx";
import { Page } from "../parts/page.tsx";
import { Qr } from "../parts/qr.tsx";
import { Pager, Table } from "../parts/table.tsx";
import { page } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";

/** A node that hangs holds up no page. */
const NODE_MS = 3_000;
const WALLETS_SHOWN = 25;

interface Wallet {
  readonly row: AddressRow;
  readonly network: NetworkRow;
  /** Undefined: no node answered. */
  readonly coins: Amount | undefined;
}

const walletsPage = page({
  path: "/wallets",
  nav: { label: "Wallets", group: "Account" },
  show: async (visit) => {
    const account = await accountOf(visit);
    const { rows, next } = account
      ? { rows: await walletsOf(visit.deps.db, account.id), next: null }
      : await walletsOfAll(visit);
    const shown = await withCoins(visit, rows);
    return (
      <Page visit={visit} title="Wallets">
        <AccountPicker visit={visit} account={account} />
        {account && <ReceivingCard visit={visit} accountId={account.id} />}
        <Card title="What pays">
          <p class="quiet">
            Hot wallets pay withdrawals and hold what they are funded with; gas wallets pay for
            sweeps. Fund them by sending to their address.
          </p>
          <WalletTable visit={visit} shown={shown} isOfOne={account !== undefined} />
          <Pager visit={visit} next={next} />
        </Card>
      </Page>
    );
  },
});

/** The gas wallets on the first page, and the hot wallets account by account. */
async function walletsOfAll({ deps: { db }, query }: Visit) {
  const [, accountId, network] = /^(\d{1,15})-(.{1,32})$/.exec(query.get("cursor") ?? "") ?? [];
  const after = { accountId: Number(accountId ?? 0), network: network ?? "" };
  const [gas, found] = await Promise.all([
    accountId === undefined ? gasWallets(db) : [],
    hotWalletPage(db, { after, limit: WALLETS_SHOWN + 1 }),
  ]);
  const hot = found.slice(0, WALLETS_SHOWN);
  const last = found.length > WALLETS_SHOWN ? hot.at(-1)! : undefined;
  return { rows: [...gas, ...hot], next: last ? `${last.accountId}-${last.network}` : null };
}

const WalletTable = (
  { visit, shown, isOfOne }: { visit: Visit; shown: readonly Wallet[]; isOfOne: boolean },
) => (
  <Table
    caption="Wallets"
    rows={shown.map((wallet) => ({ ...wallet, accountId: wallet.row.accountId }))}
    empty="None yet: the first currency that is enabled on a network makes one"
    columns={[
      { title: "Network", cell: ({ network }) => network.code },
      ...accountColumn<Wallet & { accountId: number | null }>(visit),
      { title: "What for", cell: ({ row }) => row.purpose === "gas" ? "gas" : "withdrawals" },
      {
        title: "Coins",
        isNumber: true,
        cell: ({ coins, network }) => (
          <Money amount={coins?.toString() ?? "not known"} currency={network.nativeSymbol} />
        ),
      },
      { title: "Level", cell: (wallet) => <Level wallet={wallet} /> },
      {
        title: "Address",
        cell: ({ row }) => (
          <>
            <Hash text={row.address} isWhole />
            {(isOfOne || row.purpose === "gas") && (
              <details>
                <summary>QR code</summary>
                <Qr text={row.address} label={`QR code of ${row.address}`} />
              </details>
            )}
          </>
        ),
      },
    ]}
  />
);

const Level = ({ wallet: { row, coins, network } }: { wallet: Wallet }) => {
  if (row.haltedReason !== null) return <Status value="halted" />;
  if (!coins) return <Status value="unknown" />;
  const target = Amount.parse(network.hotGasTarget, coins.asset);
  if (coins.isZero()) return <Status value="empty" />;
  return <Status value={coins.plus(coins).isLessThan(target) ? "low" : "ok"} />;
};

const ReceivingCard = async ({ visit, accountId }: { visit: Visit; accountId: number }) => {
  const { networks } = await visit.deps.catalog.current();
  const set = await visit.deps.db.list(ReceivingWallets, { accountId });
  const byNetwork = new Map(set.map((row) => [row.network, row.address]));
  return (
    <Card title="Where deposits are swept to">
      <Table
        caption="Receiving wallets"
        rows={networks.filter(({ isActive }) => isActive)}
        empty="No network yet"
        columns={[
          { title: "Network", cell: ({ code }) => code },
          {
            title: "Receiving wallet",
            cell: ({ code }) => {
              const address = byNetwork.get(code);
              return address === undefined
                ? <span class="quiet">none: deposits stay where they are</span>
                : <Hash text={address} isWhole />;
            },
          },
          {
            title: "Change",
            isTitleHidden: true,
            cell: ({ code }) => (
              <a href={`${BASE}/wallets/receiving?account=${accountId}&network=${code}`}>
                {byNetwork.has(code) ? "Change" : "Set"}
              </a>
            ),
          },
        ]}
      />
    </Card>
  );
};

/** One question a network, whatever the number of wallets. */
async function withCoins({ deps }: Visit, rows: readonly AddressRow[]): Promise<Wallet[]> {
  const catalog = await deps.catalog.current();
  const groups = [...Map.groupBy(rows, ({ network }) => network)];
  const found = await Promise.all(groups.map(async ([code, some]) => {
    const network = catalog.network(code)!;
    const balances = await coinsOf(deps, { network, rows: some });
    return some.map((row, i) => ({ row, network, coins: balances?.[i] }));
  }));
  return found.flat();
}

async function coinsOf(
  deps: Visit["deps"],
  { network, rows }: { network: NetworkRow; rows: readonly AddressRow[] },
): Promise<Amount[] | undefined> {
  const unit = {
    asset: `${network.code}/${network.nativeSymbol}`,
    decimals: network.nativeDecimals,
  };
  const chain = deps.chains.of(network);
  const asked = rows.map(({ address }) => ({ address, contract: null }));
  const deadline = deadlineIn(NODE_MS);
  try {
    const answer = chain.tip().then((tip) => chain.balancesAt(tip, asked));
    return (await deadline.race(answer)).map((raw) => Amount.fromRaw(raw, unit));
  } catch (error) {
    if (error instanceof NodeError || error instanceof OutOfTime) return undefined;
    throw error;
  } finally {
    deadline.cancel();
  }
}

export const WALLET_ROUTES = [walletsPage];
