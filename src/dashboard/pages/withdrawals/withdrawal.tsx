import { cancelWithdrawal } from "../../../actions/withdrawals/cancel.ts";
import {
  bumpWithdrawal,
  resendWithdrawal,
  revokeWithdrawal,
} from "../../../actions/withdrawals/push.ts";
import { isInDoubt } from "../../../actions/withdrawals/settle_by_hand.ts";
import { Accounts, type NetworkRow } from "../../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../../store/tables/signed_transfers.ts";
import { type WithdrawalRow, Withdrawals } from "../../../store/tables/withdrawals.ts";
import { transfersOfWithdrawal } from "../../../store/reads/pages/page.ts";
import { topHeights } from "../../../store/reads/pages/transactions.ts";
import type { Actor, Deps } from "../../../actions/deps.ts";
import { addressUrl, transactionUrl } from "../../explorers.ts";
import { accountFact, Card, Facts, Hash, Money, Status } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { depthOf } from "../../parts/signed.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { AskedBy, LedgerLines, Waiting } from "./_about.tsx";
import { Timeline } from "./_timeline.tsx";
import { WithdrawalActions } from "./_withdrawal_actions.tsx";

const UP = { path: "/withdrawals", label: "Withdrawals" };

const ownWithdrawal = async (visit: Visit): Promise<WithdrawalRow> =>
  visit.own(await visit.deps.db.find(Withdrawals, [visit.id()]));

const withdrawalPage = page({
  path: "/withdrawals/:id{[0-9]+}",
  show: async (visit) => {
    const row = await ownWithdrawal(visit);
    const { db } = visit.deps;
    const [catalog, bids, heights, account] = await Promise.all([
      visit.deps.catalog.current(),
      transfersOfWithdrawal(db, row.id),
      topHeights(db),
      db.find(Accounts, [row.accountId]),
    ]);
    const canPush = visit.isOperator || account?.mayPush === true;
    const network = catalog.network(row.network);
    return (
      <Page
        visit={visit}
        title={`Withdrawal ${row.id}`}
        up={UP}
        reload={reloadOf(row, bids)}
        isLive
      >
        <Card title="Payment" actions={<Status value={row.status} />}>
          <WithdrawalFacts visit={visit} row={row} network={network} />
          <Waiting {...{ visit, row, bids, canPush }} />
          <WithdrawalActions visit={visit} row={row} network={network} canPush={canPush} />
          {visit.isOperator && row.status === "broadcasted" && bids.some(isInDoubt) && (
            <InDoubt id={row.id} />
          )}
        </Card>
        <Card title="Timeline">
          <Timeline row={row} bids={bids} network={network} top={heights.get(row.network) ?? 0} />
        </Card>
        <LedgerLines visit={visit} row={row} />
      </Page>
    );
  },
  live: async (visit) => {
    const row = await ownWithdrawal(visit);
    const [bids, heights] = await Promise.all([
      transfersOfWithdrawal(visit.deps.db, row.id),
      topHeights(visit.deps.db),
    ]);
    const depth = depthOf(bids, heights.get(row.network) ?? 0);
    return { reload: reloadOf(row, bids), depth: String(depth ?? 0) };
  },
});

const InDoubt = ({ id }: { id: number }) => (
  <p class="message warn">
    Its token logged no payment:{" "}
    <a href={`${BASE}/withdrawals/${id}/settle`}>review and settle it</a>
  </p>
);

function reloadOf({ status, txHash }: WithdrawalRow, bids: readonly SignedTransferRow[]): string {
  return `${status} ${bids.length} ${txHash}`;
}

const WithdrawalFacts = (
  { visit, row, network }: { visit: Visit; row: WithdrawalRow; network: NetworkRow | undefined },
) => (
  <Facts
    rows={[
      ...accountFact(visit, row),
      ["Amount", <Money amount={row.amount} currency={`${row.currency} on ${row.network}`} />],
      ["Fee", <Money amount={row.fee} currency={row.currency} />],
      ["To", <Hash text={row.toAddress} href={addressUrl(network, row.toAddress)} isWhole />],
      ["Reference", row.clientReference ?? <span class="quiet">none</span>],
      ["Requested by", <AskedBy visit={visit} row={row} />],
      ["Transaction", <Sent network={network} txHash={row.txHash} />],
    ]}
  />
);

const Sent = (
  { network, txHash }: { network: NetworkRow | undefined; txHash: string | null },
) =>
  txHash === null
    ? <span class="quiet">none yet</span>
    : <Hash text={txHash} href={transactionUrl(network, txHash)} isWhole />;

type Pushing = (deps: Deps, order: { id: number; actor: Actor }) => Promise<string>;

const pushes: readonly (readonly [name: string, push: Pushing])[] = [
  ["cancel", async (deps, order) => {
    await cancelWithdrawal(deps, order);
    return "Cancelled. The held amount is released";
  }],
  ["bump", async (deps, order) => {
    await bumpWithdrawal(deps, order);
    return "The payment was sent again with a higher fee";
  }],
  ["resend", async (deps, order) => {
    const { result } = await resendWithdrawal(deps, order);
    return `Sent again: ${result}`;
  }],
  ["revoke", async (deps, order) => {
    await revokeWithdrawal(deps, order);
    return "Cancelling: an empty transaction with a higher fee was sent";
  }],
];

const pushActs = pushes.map(([name, push]) =>
  act({
    path: `/withdrawals/:id{[0-9]+}/${name}`,
    on: withdrawalPage,
    run: async (visit) => {
      const { id } = await ownWithdrawal(visit);
      return done(`/withdrawals/${id}`, await push(visit.deps, { id, actor: visit.actor }));
    },
  })
);

export const WITHDRAWAL_ROUTES = [withdrawalPage, ...pushActs];
