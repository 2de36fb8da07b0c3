import type { AlertRow } from "../../alerts/table.ts";
import { AuditList } from "../../audit/parts/audit_list.tsx";
import type { AuditRow } from "../../audit/table.ts";
import { present } from "../../base/assert.ts";
import type { Component } from "../../base/html.ts";
import { LedgerLines } from "../../books/pages/ledger_lines.tsx";
import { CustomerLink } from "../../customers/pages/customer_link.tsx";
import { addressUrl, transactionUrl } from "../../dashboard/explorers.ts";
import { accountFact, type Fact, Fold, Hash, Money, Status } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { EventsCard } from "../../dashboard/parts/payment/events.tsx";
import { NotesCard, writeNote } from "../../dashboard/parts/payment/notes.tsx";
import { Folds, RecordBody, RecordHead } from "../../dashboard/parts/payment/record.tsx";
import { type Step, stepFigures } from "../../dashboard/parts/payment/steps.tsx";
import { worthsOfPayments } from "../../dashboard/parts/worths.tsx";
import { paymentName, paymentState } from "../../dashboard/words/orders.ts";
import { type Ordered, ordersOf } from "../../invoices/reads/orders.ts";
import { usersOf } from "../reads/page.ts";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import { isCreditedByHand } from "../credit_surplus.ts";
import { type Story, storyOf, Timeline } from "./_story.tsx";
import { confirmationsOf, type TransactionStatus } from "../rules/transaction_moves.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { assetOf } from "../../domain/money/amount.ts";
import { outpointOf } from "../../domain/outpoint.ts";
import { hasOutputs } from "../../networks/fitting.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { NoteSubject } from "../../notes/table.ts";
import { refundedWord } from "../../refunds/of_payment.ts";
import { isUnpaid } from "../../withdrawals/rules/moves.ts";

const SENTENCES: Readonly<Record<Exclude<TransactionStatus, "failed">, string>> = {
  detected: "On its way: credited as soon as it has enough confirmations.",
  confirmed: "Credited to the balance, and still on its deposit address.",
  sweep_pending: "Credited to the balance, and moving from its deposit address to your wallet.",
  swept: "Credited to the balance, and moved to your wallet.",
};

const UP = { path: "/deposits", label: "Payments" };

export async function ownDeposit(visit: Visit): Promise<TransactionRow> {
  const row = visit.own(await visit.deps.db.find(Transactions, [visit.id()]));
  if (row.direction !== "deposit") throw new NotFound();
  return row;
}

const depositPage = page({
  path: "/deposits/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const row = await ownDeposit(visit);
    const [story, users, orders, worths] = await Promise.all([
      storyOf(visit, row),
      usersOf(visit.deps.db, [row]),
      ordersOf(visit.deps.db, [row]),
      worthsOfPayments(visit, [row]),
    ]);
    const worth = worths.get(row.id);
    const order = orders.get(row.id);
    const coins = <Money amount={row.amount} currency={visit.coin(row)} isWhole />;
    return (
      <Page
        visit={visit}
        title={paymentName(row, { users, orders })}
        up={UP}
        actions={<Links visit={visit} story={story} />}
        reload={reloadOf(story, order)}
        isLive
      >
        {story.alert && <NotUsed visit={visit} alert={story.alert} row={row} />}
        <RecordHead
          amount={worth ?? coins}
          below={worth && coins}
          state={<Flags story={story} order={order} />}
        >
          <p>{stateText(story) + refundText(story)}</p>
        </RecordHead>
        <RecordBody
          timeline={<Timeline story={story} steps={stepsOf(story)} />}
          facts={factsOf(visit, { story, order })}
        />
        <Folds>
          <LedgerLines visit={visit} entries={story.entries} />
          <EventsCard
            visit={visit}
            events={story.events}
            empty="Nothing is sent about this payment yet: an event follows each change of its status"
          />
          <NotesCard
            visit={visit}
            subject={subjectOf(row)}
            action={`/deposits/${row.id}/notes`}
          />
          {story.audited.length > 0 && <Noted visit={visit} rows={story.audited} />}
        </Folds>
      </Page>
    );
  },
  live: async (visit) => {
    const row = await ownDeposit(visit);
    const [story, orders] = await Promise.all([
      storyOf(visit, row),
      ordersOf(visit.deps.db, [row]),
    ]);
    const depth = String(confirmationsOf(story.cursor?.topHeight ?? 0, story.row));
    return { reload: reloadOf(story, orders.get(row.id)), depth, ...stepFigures(stepsOf(story)) };
  },
});

const Links = ({ visit, story }: { visit: Visit; story: Story }) => (
  <>
    {visit.isAble("operate") && story.row.status === "confirmed" && (
      <a class="button plain" href={`${BASE}/deposits/${story.row.id}/reverse`}>Reverse</a>
    )}
    <RefundLink visit={visit} story={story} />
  </>
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

const Noted = ({ visit, rows }: { visit: Visit; rows: readonly AuditRow[] }) => (
  <Fold title="Operator actions" count={rows.length} isOpen>
    <AuditList visit={visit} rows={rows} />
  </Fold>
);

function reloadOf({ row, sweep, alert, refunds }: Story, order: Ordered | undefined): string {
  const returned = refunds.rows.map(({ id, status }) => `${id} ${status}`).join();
  const { status, blockHash } = row;
  const own = [status, paymentState(status, { order }), blockHash];
  return [...own, sweep?.state, sweep?.reason, alert?.id, returned].join(" ");
}

const Flags = ({ story, order }: { story: Story; order: Ordered | undefined }) => {
  const { row } = story;
  const refunded = refundedWord(story.refunds);
  return (
    <span class="actions">
      <Status value={paymentState(row.status, { order, refunded })} />
      {row.isBelowMinimum && <Status value="below minimum" />}
      {isCreditedByHand(row) && <Status value="credited manually" />}
    </span>
  );
};

function factsOf(
  visit: Visit,
  { story, order }: { story: Story; order: Ordered | undefined },
): Fact[] {
  const { row, network, address } = story;
  return [
    ...accountFact(visit, row),
    ...story.invoiceId === undefined ? [] : [invoiceFact(story.invoiceId, order)],
    ["Customer", order?.customer ?? (address && <CustomerLink row={address} />)],
    // Where money lies in outputs, the chain doesn't say who paid.
    ...row.fromAddress === ""
      ? []
      : [["From", <From row={row} network={network} />] satisfies Fact],
    ["To", <To row={row} network={network} />],
    ["Transaction", <Hash text={row.txHash} href={transactionUrl(network, row.txHash)} />],
    paidAs(row, network),
    ...row.depositRequestId === null
      ? []
      : [["Deposit request", row.depositRequestId] satisfies Fact],
    ["Payment", row.id],
  ];
}

/** With what its owner calls it. */
function invoiceFact(id: number, order: Ordered | undefined): Fact {
  const { reference = null, description = null } = order ?? {};
  const said = [reference, description].filter((text) => text !== null).join(", ");
  return [
    "For",
    <>
      <a href={`${BASE}/invoices/${id}`}>{`Invoice ${id}`}</a>
      {said !== "" && (
        <>
          : <bdi class="whole">{said}</bdi>
        </>
      )}
    </>,
  ];
}

const To = ({ row: { addressId, toAddress }, network }: Paid) => {
  const explorer = addressUrl(network, toAddress);
  const own = addressId === null ? undefined : `${BASE}/addresses/${addressId}`;
  return (
    <>
      <Hash text={toAddress} href={own} /> {explorer && <a href={explorer}>Explorer</a>}
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
    : <Hash text={fromAddress} href={addressUrl(network, fromAddress)} />;

function paidAs(row: TransactionRow, network: NetworkRow): Fact {
  if (!hasOutputs(network) || isCreditedByHand(row)) return ["How it was paid", howPaid(row)];
  return ["Output", <Hash text={outpointOf(row)} isWhole />];
}

function howPaid(row: TransactionRow): string {
  if (isCreditedByHand(row)) return "An operator credited it manually";
  if (row.position < 0) return `By a contract: payment ${-1 - row.position} inside the transaction`;
  return row.position === 0
    ? "The transaction's own value"
    : `By a token transfer: log ${row.position} of the transaction`;
}

const noteAct = act({
  path: "/deposits/:id{[0-9]+}/notes",
  ability: "approve",
  on: depositPage,
  run: async (visit) => {
    const row = await ownDeposit(visit);
    await writeNote(visit, subjectOf(row));
    return done(`/deposits/${row.id}`, "The note was added");
  },
});

/** A deposit always has an account. */
function subjectOf({ id, accountId }: TransactionRow): NoteSubject {
  return {
    accountId: present(accountId, "Deposits belong to somebody"),
    about: "deposit",
    name: String(id),
  };
}

export const DEPOSIT_DETAIL_ROUTES = [depositPage, noteAct];

/**
 * The recipient is left to the customer: the sending address may be an exchange's. Refunds of
 * invoices from before a restore wait for approval; any other payout from then goes out at once.
 */
const RefundLink: Component<{ visit: Visit; story: Story }> = ({ visit, story }) => {
  const { row, invoiceId, isRestored, refunds: { left, reference } } = story;
  const path = invoiceId === undefined ? "/withdrawals/new" : `/invoices/${invoiceId}/refund`;
  if (left.isZero() || !visit.may("GET", path)) return null;
  const asset = assetOf(row);
  const query = new URLSearchParams({ coin: asset });
  if (invoiceId === undefined) {
    if (isRestored || reference === undefined) return null;
    query.delete("coin");
    query.set("asset", asset);
    query.set("amount", left.toString());
    query.set("reference", reference);
  }
  if (visit.seesAll) query.set("account", String(row.accountId));
  return <a class="button plain" href={`${BASE}${path}?${query}`}>Refund</a>;
};

/** Refunds of an invoice belong to all its payments in a currency. */
function refundText({ row, invoiceId, refunds: { rows, left } }: Story): string {
  const live = rows.filter(({ status }) => !isUnpaid(status));
  const of = invoiceId === undefined
    ? "it"
    : `what invoice ${invoiceId} received in ${row.currency}`;
  if (live.some(({ status }) => status !== "confirmed")) return ` A refund of ${of} is under way.`;
  if (live.length === 0) return "";
  return ` ${left.isZero() ? "All" : "Part"} of ${of} has been refunded.`;
}

/** The payment's state as one would say it. */
function stateText({ row, entries }: Story): string {
  if (row.status !== "failed") return SENTENCES[row.status];
  return entries.some(({ kind }) => kind === "credit")
    ? "Reversed: it was credited, and taken back from the balance."
    : "Failed: its transaction disappeared from the chain before it was credited.";
}

/** From the chain to the receiving wallet. */
function stepsOf(story: Story): Step[] {
  const { row: { status }, entries } = story;
  const isFailed = status === "failed";
  const wasCredited = entries.some(({ kind }) => kind === "credit");
  const step = (text: string, at: readonly TransactionStatus[], isDone: boolean): Step => ({
    text,
    isCurrent: at.includes(status),
    tone: isDone ? "good" : at.includes(status) ? "under-way" : "plain",
  });
  const credited = step("Credited", ["confirmed"], wasCredited);
  if (isFailed) {
    const last: Step = {
      text: wasCredited ? "Reversed" : "Failed",
      ...{ tone: "bad", isCurrent: true },
    };
    return [step("Seen", [], true), ...wasCredited ? [credited] : [], last];
  }
  const isSweeping = status === "sweep_pending";
  return [
    step("Seen", [], true),
    step(confirmationText(story), ["detected"], status !== "detected"),
    credited,
    step(
      isSweeping ? "Moving to your wallet" : "In your wallet",
      ["sweep_pending", "swept"],
      status === "swept",
    ),
  ];
}

function confirmationText({ row, network, cursor }: Story): string {
  const needed = network.minConfirmations;
  return row.status === "detected"
    ? `${confirmationsOf(cursor?.topHeight ?? 0, row)} of ${needed} blocks`
    : "Confirmed";
}
