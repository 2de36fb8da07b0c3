import { present } from "../../../base/assert.ts";
import { isCreditedByHand } from "../../../actions/deposits/credit_surplus.ts";
import { reverseDeposit } from "../../../actions/deposits/reverse.ts";
import * as kind from "../../../domain/kinds.ts";
import { auditPage } from "../../../store/reads/audit.ts";
import type { AuditRow } from "../../../store/tables/audit.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../../store/tables/following.ts";
import { Addresses, type AddressRow } from "../../../store/tables/addresses.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../../store/tables/ledger.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import { type SweepRow, Sweeps } from "../../../store/tables/sweeps.ts";
import { type TransactionRow, Transactions } from "../../../store/tables/transactions.ts";
import { addressUrl, transactionUrl } from "../../explorers.ts";
import { AuditList } from "../../parts/audit.tsx";
import { Card, Facts, Hash, Money, Status, Time } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, done, OPERATORS, page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";

const UP = { path: "/deposits", label: "Deposits" };
const NOTES_SHOWN = 20;

async function ownDeposit(visit: Visit): Promise<TransactionRow> {
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
}

async function storyOf(visit: Visit, row: TransactionRow): Promise<Story> {
  const { db } = visit.deps;
  const { addressId, sweepId } = row;
  const subject = `transaction:${row.id}`;
  const [catalog, cursor, address, sweep, entries, audited] = await Promise.all([
    visit.deps.catalog.current(),
    db.find(NetworkCursors, [row.network]),
    addressId === null ? undefined : db.find(Addresses, [addressId]),
    sweepId === null ? undefined : db.find(Sweeps, [sweepId]),
    db.list(LedgerEntries, { transactionId: row.id }),
    visit.isOperator
      ? auditPage(db, { actor: null, subject, cursor: null, limit: NOTES_SHOWN })
      : [],
  ]);
  const network = present(catalog.network(row.network), "Networks stay");
  return { row, network, cursor, address, sweep, entries, audited };
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

function reloadOf({ row, sweep }: Story): string {
  return [row.status, row.blockHash, sweep?.state, sweep?.reason].join(" ");
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

const reversePage = page({
  path: "/deposits/:id{[0-9]+}/reverse",
  roles: OPERATORS,
  isSensitive: true,
  show: async (visit) => {
    const { id, amount, currency, network, toAddress } = await ownDeposit(visit);
    const up = { path: `/deposits/${id}`, label: `Deposit ${id}` };
    return (
      <Page visit={visit} title="Reverse a deposit" up={up}>
        <Card>
          <p>
            Use this if the {amount} {currency} on {network} are permanently gone from{" "}
            <code class="whole">{toAddress}</code>. The credit is reversed, and the account's
            balance may become negative. No coins are moved.
          </p>
          <Form visit={visit} action={`/deposits/${id}/reverse`}>
            <Field {...{ visit, name: "note", label: "Reason", maxlength: 500 }} isRequired />
            <Submit tone="danger" confirm="This cannot be undone.">Reverse</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const reverseAct = act({
  path: "/deposits/:id{[0-9]+}/reverse",
  on: reversePage,
  run: async (visit) => {
    const { id } = await ownDeposit(visit);
    const { note } = visit.form.read((fields) => ({
      note: fields.required("note", kind.text({ max: 500 })),
    }));
    const { amount, currency } = await reverseDeposit(visit.deps, { id, note, actor: visit.actor });
    return done(`/deposits/${id}`, `Reversed ${amount} ${currency}`);
  },
});

export const DEPOSIT_DETAIL_ROUTES = [depositPage, reversePage, reverseAct];
