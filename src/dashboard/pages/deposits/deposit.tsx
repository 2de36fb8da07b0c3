import { isCreditedByHand } from "../../../actions/deposits/credit_surplus.ts";
import type { AuditRow } from "../../../store/tables/audit.ts";
import type { AlertRow } from "../../../store/tables/alerts.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import { type TransactionRow, Transactions } from "../../../store/tables/transactions.ts";
import { addressUrl, transactionUrl } from "../../explorers.ts";
import { AuditList } from "../../parts/audit.tsx";
import { Card, Facts, Hash, Money, Status } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { page } from "../../routes.ts";
import { CustomerLink } from "../customers/customer_link.tsx";
import { BASE, NotFound, type Visit } from "../../visit.ts";
import { Events, LedgerLines } from "./_reports.tsx";
import { stateText, stepFigures, Steps } from "./_state.tsx";
import { depthOf, type Story, storyOf, Timeline } from "./_story.tsx";
import { accountFact } from "../../parts/facts.tsx";
import type { Db } from "../../../store/engine/db.ts";

const UP = { path: "/deposits", label: "Payments" };

export async function ownDeposit(visit: Visit): Promise<TransactionRow> {
  const row = visit.own(await visit.deps.db.find(Transactions, [visit.id()]));
  if (row.direction !== "deposit") throw new NotFound();
  return row;
}

const depositPage = page({
  path: "/deposits/:id{[0-9]+}",
  show: async (visit) => {
    const row = await ownDeposit(visit);
    const story = await storyOf(visit, row);
    return (
      <Page
        visit={visit}
        title={`Payment ${row.id}`}
        up={UP}
        actions={visit.isAble("operate") && row.status === "confirmed" && (
          <ReverseLink id={row.id} />
        )}
        reload={reloadOf(story)}
        isLive
      >
        {story.alert && <NotUsed visit={visit} alert={story.alert} row={row} />}
        <Card title="State" actions={<Flags row={row} />}>
          <p class="big">
            <Money amount={row.amount} currency={row.currency} isWhole />
          </p>
          <p>{stateText(story)}</p>
          <Steps story={story} />
        </Card>
        <Card title="Payment">
          <DepositFacts visit={visit} story={story} />
        </Card>
        <Card title="Timeline">
          <Timeline story={story} />
        </Card>
        <LedgerLines visit={visit} entries={story.entries} />
        <Events events={story.events} />
        {story.audited.length > 0 && <Noted db={visit.deps.db} rows={story.audited} />}
      </Page>
    );
  },
  live: async (visit) => {
    const story = await storyOf(visit, await ownDeposit(visit));
    const depth = String(depthOf(story.row, story.cursor));
    return { reload: reloadOf(story), depth, ...stepFigures(story) };
  },
});

const ReverseLink = ({ id }: { id: number }) => (
  <a class="button plain" href={`${BASE}/deposits/${id}/reverse`}>Reverse</a>
);

const NotUsed = (
  { visit, alert, row: { id, status } }: { visit: Visit; alert: AlertRow; row: TransactionRow },
) => (
  <div class="message fault">
    <p>{alert.message}</p>
    {status === "detected" && visit.isAble("operate") && (
      <a class="button plain" href={`${BASE}/deposits/${id}/vouch`}>Vouch</a>
    )}
  </div>
);

const Noted = ({ db, rows }: { db: Db; rows: readonly AuditRow[] }) => (
  <Card title="Operator actions">
    <AuditList db={db} rows={rows} />
  </Card>
);

function reloadOf({ row, sweep, alert }: Story): string {
  return [row.status, row.blockHash, sweep?.state, sweep?.reason, alert?.id].join(" ");
}

const Flags = ({ row }: { row: TransactionRow }) => (
  <span class="actions">
    <Status value={row.status} />
    {row.isBelowMinimum && <Status value="below minimum" />}
    {isCreditedByHand(row) && <Status value="credited manually" />}
  </span>
);

const DepositFacts = ({ visit, story }: { visit: Visit; story: Story }) => {
  const { row, network, address } = story;
  return (
    <Facts
      rows={[
        ...accountFact(visit, row),
        ["Amount", <Money amount={row.amount} currency={`${row.currency} on ${network.name}`} />],
        ["Customer", address && <CustomerLink row={address} />],
        ["To", <To row={row} network={network} />],
        ["From", <From row={row} network={network} />],
        ["Deposit request", row.depositRequestId ?? <span class="quiet">none</span>],
        [
          "Transaction",
          <Hash text={row.txHash} href={transactionUrl(network, row.txHash)} isWhole />,
        ],
        ["How it was paid", howPaid(row)],
      ]}
    />
  );
};

const To = ({ row: { addressId, toAddress }, network }: Paid) => {
  const explorer = addressUrl(network, toAddress);
  const own = addressId === null ? undefined : `${BASE}/addresses/${addressId}`;
  return (
    <>
      <Hash text={toAddress} href={own} isWhole /> {explorer && <a href={explorer}>Explorer</a>}
    </>
  );
};

interface Paid {
  readonly row: TransactionRow;
  readonly network: NetworkRow;
}

const From = ({ row: { fromAddress }, network }: Paid) =>
  fromAddress === "unknown"
    ? <span class="quiet">unknown</span>
    : <Hash text={fromAddress} href={addressUrl(network, fromAddress)} isWhole />;

function howPaid(row: TransactionRow): string {
  if (isCreditedByHand(row)) return "An operator credited it manually";
  if (row.position < 0) return `By a contract: payment ${-1 - row.position} inside the transaction`;
  return row.position === 0
    ? "The transaction's own value"
    : `By log ${row.position} of the transaction`;
}

export const DEPOSIT_DETAIL_ROUTES = [depositPage];
