import { type AlertRow, Alerts } from "../../alerts/table.ts";
import { auditPage } from "../../audit/reads/page.ts";
import type { AuditRow } from "../../audit/table.ts";
import { present } from "../../base/assert.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../books/table.ts";
import { isGenuine, tamperedSubject } from "../../books/tampered.ts";
import { Hash, Money, Status, Time } from "../../dashboard/parts/facts.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { Ahead, type Step } from "../../dashboard/parts/payment/steps.tsx";
import { confirmationsOf } from "../rules/transaction_moves.ts";
import { WITH_MORE } from "../dust.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../following/table.ts";
import { InvoicePayments } from "../../invoices/tables/invoices.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { type PaymentRefunds, refundsOfPayment } from "../../refunds/of_payment.ts";
import { restoredAtMs } from "../../restore/rules/restore_number.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { Db } from "../../store/engine/db.ts";
import { eventsOfPayment, type PaymentEvent } from "../../store/reads/pages/payment_events.ts";
import { type SweepRow, Sweeps } from "../../sweeps/table.ts";
import { Addresses, type AddressRow } from "../../wallets/tables/addresses.ts";

const NOTES_SHOWN = 20;

/** A deposit and everything around it. */
export interface Story {
  readonly row: TransactionRow;
  readonly network: NetworkRow;
  readonly cursor: NetworkCursorRow | undefined;
  readonly address: AddressRow | undefined;
  /** That it paid. */
  readonly invoiceId: number | undefined;
  readonly refunds: PaymentRefunds;
  /** From before a restore, which forgot what was refunded since the backup. */
  readonly isRestored: boolean;
  readonly sweep: SweepRow | undefined;
  readonly entries: readonly LedgerEntryRow[];
  readonly events: readonly PaymentEvent[];
  readonly audited: readonly AuditRow[];
  /** Why it is not used, for operators. */
  readonly alert: AlertRow | undefined;
}

export async function storyOf(visit: Visit, row: TransactionRow): Promise<Story> {
  const { db } = visit.deps;
  const { addressId, sweepId } = row;
  const [catalog, cursor, address, paid, sweep, entries, events, audited, alert] = await Promise
    .all([
      visit.deps.catalog.current(),
      db.find(NetworkCursors, [row.network]),
      addressId === null ? undefined : db.find(Addresses, [addressId]),
      db.find(InvoicePayments, [row.id], "transaction"),
      sweepId === null ? undefined : db.find(Sweeps, [sweepId]),
      db.list(LedgerEntries, { transactionId: row.id }),
      eventsOfPayment(db, row),
      visit.seesAll ? notesOn(db, row) : [],
      visit.seesAll ? tamperingOf(db, row) : undefined,
    ]);
  const network = present(catalog.network(row.network), "Networks stay");
  const isPaid = paid && await isGenuine(visit.deps, InvoicePayments, paid);
  const invoiceId = isPaid ? paid.invoiceId : undefined;
  const isRestored = isFromBefore(row, catalog);
  const refunds = await refundsOfPayment(visit.deps, { row, invoiceId });
  return {
    ...{ row, network, cursor, address, invoiceId, isRestored, refunds, sweep },
    ...{ entries, events, audited, alert },
  };
}

/** By the chain's time: what was read again since has a new id. */
function isFromBefore(
  { minedAtMs, createdAtMs }: TransactionRow,
  { numberedFrom }: Catalog,
): boolean {
  return numberedFrom > 0 && (minedAtMs ?? createdAtMs) <= restoredAtMs(numberedFrom);
}

function notesOn(db: Db, { id }: TransactionRow): Promise<AuditRow[]> {
  const subject = `transaction:${id}`;
  return auditPage(db, { actor: null, subject, cursor: null, limit: NOTES_SHOWN });
}

function tamperingOf(db: Db, { id, accountId }: TransactionRow): Promise<AlertRow | undefined> {
  const subject = tamperedSubject({ table: Transactions.name, key: String(id), accountId });
  return db.find(Alerts, ["tampered", subject, 1], "open");
}

export const Timeline = ({ story, steps }: { story: Story; steps: readonly Step[] }) => {
  const { row, sweep, entries } = story;
  const entryOf = (wanted: string) => entries.find(({ kind }) => kind === wanted);
  return (
    <ol class="timeline">
      <li>
        <strong>Seen</strong> <Time atMs={row.createdAtMs} /> <ChainAnswer story={story} />
      </li>
      <Booked what="Credited" entry={entryOf("credit")} />
      {sweep && <SweptWith row={row} sweep={sweep} />}
      {row.status === "confirmed" && row.isBelowMinimum && sweep === undefined && (
        <li>
          <strong>Not moved alone</strong>: what is below the minimum is moved to your wallet
          together with a larger payment to this address
        </li>
      )}
      <RefundMoments story={story} />
      <Booked what="Reversed" entry={entryOf("reversal")} />
      {row.status === "failed" && !entryOf("credit") && (
        <li>
          <strong>Failed</strong>: {row.blockNumber === 0
            ? "its transaction was never in a block"
            : "its transaction disappeared from the chain and was never credited"}
        </li>
      )}
      <Ahead steps={steps} />
    </ol>
  );
};

const SweptWith = ({ row, sweep }: { row: TransactionRow; sweep: SweepRow }) => (
  <li>
    <strong>{row.status === "swept" ? "In your wallet" : "To your wallet"}</strong> with{" "}
    <a href={`${BASE}/sweeps/${sweep.id}`}>sweep {sweep.id}</a> <Status value={sweep.state} />{" "}
    {sweep.reason !== null && <p class="quiet">{sweep.reason}</p>}
  </li>
);

const Booked = ({ what, entry }: { what: string; entry: LedgerEntryRow | undefined }) =>
  entry === undefined ? null : (
    <li>
      <strong>{what}</strong> <Time atMs={entry.createdAtMs} />{" "}
      <p class="quiet">
        Balance afterwards: <Money amount={entry.balanceAfter} currency={entry.currency} isWhole />
      </p>
    </li>
  );

const ChainAnswer = ({ story: { row, network, cursor } }: { story: Story }) => {
  if (row.blockHash === null) return <p class="quiet">Not in a block</p>;
  const finalHeight = cursor?.finalizedHeight ?? -1;
  return (
    <p>
      In block {row.blockNumber} <Hash text={row.blockHash} />, confirmations:{" "}
      <span id="depth">{confirmationsOf(cursor?.topHeight ?? 0, row)}</span>
      {row.status === "detected" && ` of ${network.minConfirmations}`}
      {row.status === "detected" && waitsFor(row)}
      {network.finality === "finalized" &&
        (row.blockNumber <= finalHeight ? ", final" : ", not final yet")}
    </p>
  );
};

function waitsFor({ creditFrom }: TransactionRow): string {
  if (creditFrom === null) return "";
  return creditFrom === WITH_MORE
    ? ", too small to be moved alone: credited with the next deposit to its address"
    : `, may be spent and is credited from block ${creditFrom} on`;
}

const RefundMoments = ({ story: { refunds, invoiceId } }: { story: Story }) =>
  refunds.rows.map(({ id, amount, currency, status, requestedAtMs, confirmedAtMs }) => (
    <li>
      <strong>{status === "confirmed" ? "Refunded" : "Refund asked for"}</strong>{" "}
      <a href={`${BASE}/withdrawals/${id}`}>{`${amount} ${currency}`}</a> <Status value={status} />
      {" "}
      <Time atMs={confirmedAtMs ?? requestedAtMs} />{" "}
      {invoiceId !== undefined && <p class="quiet">{`For invoice ${invoiceId}`}</p>}
    </li>
  ));
