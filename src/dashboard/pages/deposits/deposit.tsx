import { present } from "../../../base/assert.ts";
import { tamperedSubject } from "../../../actions/books/tampered.ts";
import { isCreditedByHand } from "../../../actions/deposits/credit_surplus.ts";
import { auditPage } from "../../../store/reads/audit.ts";
import type { AuditRow } from "../../../store/tables/audit.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../../store/tables/following.ts";
import { Addresses, type AddressRow } from "../../../store/tables/addresses.ts";
import { type AlertRow, Alerts } from "../../../store/tables/alerts.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../../store/tables/ledger.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import { type SweepRow, Sweeps } from "../../../store/tables/sweeps.ts";
import { type TransactionRow, Transactions } from "../../../store/tables/transactions.ts";
import { addressUrl, transactionUrl } from "../../explorers.ts";
import { AuditList } from "../../parts/audit.tsx";
import { Card, Facts, Hash, Money, Status, Time } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";

const UP = { path: "/deposits", label: "Deposits" };
const NOTES_SHOWN = 20;

export async function ownDeposit(visit: Visit): Promise<TransactionRow> {
  const row = visit.own(await visit.deps.db.find(Transactions, [visit.id()]));
  if (row.direction !== "deposit") throw new NotFound();
  return row;
}

/** A deposit and everything around it. */
interface Story {
  readonly row: TransactionRow;
  readonly network: NetworkRow;
  readonly cursor: NetworkCursorRow | undefined;
  readonly address: AddressRow | undefined;
  readonly sweep: SweepRow | undefined;
  readonly entries: readonly LedgerEntryRow[];
  readonly audited: readonly AuditRow[];
  /** Why it is not used, for operators. */
  readonly alert: AlertRow | undefined;
}

async function storyOf(visit: Visit, row: TransactionRow): Promise<Story> {
  const { db } = visit.deps;
  const { addressId, sweepId } = row;
  const subject = `transaction:${row.id}`;
  const tampered = tamperedSubject({
    table: Transactions.name,
    key: String(row.id),
    accountId: row.accountId,
  });
  const [catalog, cursor, address, sweep, entries, audited, alert] = await Promise.all([
    visit.deps.catalog.current(),
    db.find(NetworkCursors, [row.network]),
    addressId === null ? undefined : db.find(Addresses, [addressId]),
    sweepId === null ? undefined : db.find(Sweeps, [sweepId]),
    db.list(LedgerEntries, { transactionId: row.id }),
    visit.isOperator
      ? auditPage(db, { actor: null, subject, cursor: null, limit: NOTES_SHOWN })
      : [],
    visit.isOperator ? db.find(Alerts, ["tampered", tampered, 1], "open") : undefined,
  ]);
  const network = present(catalog.network(row.network), "Networks stay");
  return { row, network, cursor, address, sweep, entries, audited, alert };
}

const depositPage = page({
  path: "/deposits/:id{[0-9]+}",
  show: async (visit) => {
    const row = await ownDeposit(visit);
    const story = await storyOf(visit, row);
    const reverse = <a class="button plain" href={`${BASE}/deposits/${row.id}/reverse`}>Reverse</a>;
    return (
      <Page
        visit={visit}
        title={`Deposit ${row.id}`}
        up={UP}
        actions={visit.isOperator && row.status === "confirmed" ? reverse : undefined}
        reload={reloadOf(story)}
        isLive
      >
        {story.alert && <NotUsed alert={story.alert} row={row} />}
        <Card title="Payment" actions={<Flags row={row} />}>
          <DepositFacts visit={visit} story={story} />
        </Card>
        <Card title="Timeline">
          <Timeline story={story} />
        </Card>
        {story.audited.length > 0 && (
          <Card title="Operator actions">
            <AuditList db={visit.deps.db} rows={story.audited} />
          </Card>
        )}
      </Page>
    );
  },
  live: async (visit) => {
    const story = await storyOf(visit, await ownDeposit(visit));
    return { reload: reloadOf(story), depth: String(depthOf(story.row, story.cursor)) };
  },
});

const NotUsed = ({ alert, row: { id, status } }: { alert: AlertRow; row: TransactionRow }) => (
  <div class="message fault">
    <p>{alert.message}</p>
    {status === "detected" && (
      <a class="button plain" href={`${BASE}/deposits/${id}/vouch`}>Vouch</a>
    )}
  </div>
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
        ...(visit.isOperator
          ? [
            ["Account", <a href={`${BASE}/accounts/${row.accountId}`}>{row.accountId}</a>] as const,
          ]
          : []),
        ["Amount", <Money amount={row.amount} currency={`${row.currency} on ${network.name}`} />],
        ["User", address?.userIdentifier ?? <span class="quiet">none: a pool address</span>],
        ["To", <Hash text={row.toAddress} href={addressUrl(network, row.toAddress)} isWhole />],
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

const From = ({ row: { fromAddress }, network }: { row: TransactionRow; network: NetworkRow }) =>
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

const Timeline = ({ story }: { story: Story }) => {
  const { row, sweep, entries } = story;
  const entryOf = (wanted: string) => entries.find(({ kind }) => kind === wanted);
  return (
    <ol class="timeline">
      <li>
        <strong>Detected</strong> <Time atMs={row.createdAtMs} />
        <ChainAnswer story={story} />
      </li>
      <Booked what="Credited" entry={entryOf("credit")} />
      {sweep && (
        <li>
          <strong>{row.status === "swept" ? "Swept" : "To be swept"}</strong> with{" "}
          <a href={`${BASE}/sweeps/${sweep.id}`}>sweep {sweep.id}</a> <Status value={sweep.state} />
          {sweep.reason !== null && <p class="quiet">{sweep.reason}</p>}
        </li>
      )}
      {row.status === "confirmed" && row.isBelowMinimum && sweep === undefined && (
        <li>
          <strong>Not swept alone</strong>: a deposit below the minimum is swept together with a
          larger one to this address
        </li>
      )}
      <Booked what="Reversed" entry={entryOf("reversal")} />
      {row.status === "failed" && !entryOf("credit") && (
        <li>
          <strong>Failed</strong>: its transaction disappeared from the chain and was never credited
        </li>
      )}
    </ol>
  );
};

const Booked = ({ what, entry }: { what: string; entry: LedgerEntryRow | undefined }) =>
  entry === undefined ? null : (
    <li>
      <strong>{what}</strong> <Time atMs={entry.createdAtMs} />
      <p class="quiet">
        Balance afterwards: {entry.balanceAfter} {entry.currency}
      </p>
    </li>
  );

const ChainAnswer = ({ story: { row, network, cursor } }: { story: Story }) => {
  if (row.blockHash === null) return <p class="quiet">Not in a block</p>;
  const finalHeight = cursor?.finalizedHeight ?? -1;
  return (
    <p>
      In block {row.blockNumber} <Hash text={row.blockHash} />, confirmations:{" "}
      <span id="depth">{depthOf(row, cursor)}</span>
      {row.status === "detected" && ` of ${network.minConfirmations}`}
      {network.finality === "finalized" &&
        (row.blockNumber <= finalHeight ? ", final" : ", not final yet")}
    </p>
  );
};

function depthOf(row: TransactionRow, cursor: NetworkCursorRow | undefined): number {
  if (row.blockHash === null || !cursor) return 0;
  return Math.max(0, cursor.topHeight - row.blockNumber + 1);
}

export const DEPOSIT_DETAIL_ROUTES = [depositPage];
