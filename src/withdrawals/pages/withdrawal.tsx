import { HAND_KEY_PREFIX } from "../../access/manage_api_keys.ts";
import type { Component } from "../../base/html.ts";
import { isGenuine } from "../../books/tampered.ts";
import { LedgerLines } from "../../books/pages/ledger_lines.tsx";
import { PAYER, REQUESTED } from "../../books/trail.ts";
import { formOf } from "../../dashboard/asking.ts";
import { addressUrl, transactionUrl } from "../../dashboard/explorers.ts";
import { AMOUNT, STATUS } from "../../dashboard/parts/columns.tsx";
import {
  accountFact,
  type Fact,
  Fold,
  Hash,
  Money,
  Name,
  Status,
  Time,
} from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { EventsCard } from "../../dashboard/parts/payment/events.tsx";
import { NotesCard, writeNote } from "../../dashboard/parts/payment/notes.tsx";
import { KeyName, Person } from "../../dashboard/parts/payment/person.tsx";
import { Folds, RecordBody, RecordHead } from "../../dashboard/parts/payment/record.tsx";
import { type Step, stepFigures } from "../../dashboard/parts/payment/steps.tsx";
import { worthsOfPayouts } from "../../dashboard/parts/worths.tsx";
import { payeeNames } from "../../payees/names.ts";
import { refundFact } from "../../dashboard/parts/payment/payout_look.tsx";
import { type RefundedInvoices, refundedInvoices } from "../../refunds/refunded_invoices.ts";
import { payoutName, refundName, typedReference } from "../words/payout_name.ts";
import { networkFeeText } from "../../dashboard/parts/signed.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { shownText } from "../../dashboard/words/amounts.ts";
import { Alerts } from "../../alerts/table.ts";
import type { InvoiceRow } from "../../invoices/tables/invoices.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { hotWalletOf } from "../../wallets/reads/addresses.ts";
import { Addresses } from "../../wallets/tables/addresses.ts";
import type { NoteSubject } from "../../notes/table.ts";
import { rowsOf } from "../../operations/lists/list.ts";
import { type PushPrice, pushPriceOf } from "../../payouts/push_price.ts";
import { batchOf } from "../../payouts/reads.ts";
import type { PageOf } from "../../store/lists/order.ts";
import { transactionAhead } from "../../transfers/reads/places.ts";
import type { Signed, SignedTransactionRow } from "../../transfers/table.ts";
import { WITHDRAWALS } from "../list.ts";
import {
  BUMP_WITHDRAWAL,
  CANCEL_WITHDRAWAL,
  RESEND_WITHDRAWAL,
  REVOKE_WITHDRAWAL,
} from "../operations/withdrawal.ts";
import { Decide, type ToDecide, toDecide } from "./_decide.tsx";
import {
  knownOf,
  minutesOf,
  newestOpen,
  type Progress,
  progressOf,
  reloadOf,
  type Story,
  storyOf,
} from "./_story.ts";
import { Timeline } from "./_timeline.tsx";
import { WithdrawalActions } from "./_withdrawal_actions.tsx";
import { emptyFailing } from "../failing.ts";
import { isReplaceable } from "../push.ts";
import { isUnpaid } from "../rules/moves.ts";
import { isInDoubt } from "../settle_by_hand.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";
import { payoutSentence, whyText } from "../words/payout_state.ts";

const Expiring = ({ story, tx }: { story: Story; tx: SignedTransactionRow }) => (
  <p class="message warn">
    <Waiting story={story} /> It can be mined until{" "}
    <Time atMs={tx.place} />. If it isn't, the payout fails and the amount is available again.
  </p>
);

const SHOWN = 5;
const FIRST = "This is the only payout to this address so far";

/** What the account paid there before and since. */
const RecipientHistory = async (
  { visit, row }: { visit: Visit; row: WithdrawalRow },
) => {
  const { rows, next } = await paidTo(visit, row);
  const shown = rows.filter(({ id }) => id !== row.id).slice(0, SHOWN);
  const refunds = await refundedInvoices(visit.deps, shown);
  return (
    <Fold title="Other payouts to this recipient" count={shown.length}>
      <Table
        caption="Other payouts to this recipient"
        rows={shown}
        columns={columnsFor(refunds)}
        empty={next === null ? FIRST : "None among the newest payouts"}
      />
      {rows.length > SHOWN + 1 && <p class="quiet">{`The newest ${SHOWN} are shown.`}</p>}
    </Fold>
  );
};

/** All go to the same recipient, whose name would say nothing. */
const columnsFor = (refunds: RefundedInvoices): readonly Column<WithdrawalRow>[] => [
  {
    title: "For",
    at: "title",
    cell: (row) => {
      const refunded = refunds.get(row.id);
      const said = refunded ? refundName(refunded) : typedReference(row);
      return <Name text={said ?? `Payout ${row.id}`} href={`${BASE}/withdrawals/${row.id}`} />;
    },
  },
  AMOUNT,
  STATUS,
  {
    title: "When",
    at: "age",
    cell: ({ requestedAtMs }) => <Time atMs={requestedAtMs} />,
  },
];

/** Without those that are shown above to whoever decides. */
async function factsOf(visit: Visit, { story, payee, refunded, look }: Titled): Promise<Fact[]> {
  const { row, network, bids } = story;
  const batch = await batchIdOf(visit, story);
  const cost = bids.find(({ tx }) => tx.blockHash !== null && tx.feeRaw !== null)?.tx.feeRaw;
  return [
    ...accountFact(visit, row),
    ...look ? [] : [
      ["To", <To row={row} network={network} payee={payee} />],
      ...refunded ? [refundFact(visit, refunded)] : [],
      ["Reference", <Reference text={typedReference(row)} />],
      ["Requested by", <AskedBy visit={visit} story={story} />],
    ] satisfies Fact[],
    ...batch === undefined ? [] : [["Batch", <BatchLink id={batch} />] satisfies Fact],
    ...row.approval === null
      ? []
      : [["Approvals", <Approvals story={story} hasRules={!look} />] satisfies Fact],
    ["Fee", <Money amount={row.fee} currency={row.currency} isWhole />],
    ...cost ? [["Network fee", networkFeeText(cost, network)] satisfies Fact] : [],
    ["Transaction", <Transaction story={story} />],
    ["Payout", row.id],
  ];
}

interface Titled {
  readonly story: Story;
  readonly payee: string | undefined;
  readonly refunded: InvoiceRow | undefined;
  readonly look: ToDecide;
}

const To = (
  { row: { toAddress }, network, payee }: {
    row: WithdrawalRow;
    network: NetworkRow;
    payee: string | undefined;
  },
) => (
  <>
    {payee !== undefined && <bdi class="whole">{payee}</bdi>}{" "}
    <Hash text={toAddress} href={addressUrl(network, toAddress)} isWhole />
  </>
);

/** The key by its label, or the person who filled in the form. */
const AskedBy = ({ visit, story: { row, audited } }: { visit: Visit; story: Story }) => {
  const actor = audited.find(({ action }) => action === REQUESTED)?.actor ?? null;
  const isPerson = actor === PAYER || row.keyId.startsWith(HAND_KEY_PREFIX);
  return isPerson
    ? <Person visit={visit} actor={actor} />
    : <KeyName visit={visit} keyId={row.keyId} />;
};

const Sent = ({ network, txHash }: { network: NetworkRow; txHash: string }) => (
  <Hash text={txHash} href={transactionUrl(network, txHash)} />
);

const UP = { path: "/withdrawals", label: "Payouts" };

export const ownWithdrawal = async (visit: Visit): Promise<WithdrawalRow> =>
  visit.own(await visit.deps.db.find(Withdrawals, [visit.id()]));

export const withdrawalPage = page({
  path: "/withdrawals/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const row = await ownWithdrawal(visit);
    const [story, payees, refunds, worths] = await Promise.all([
      storyOf(visit, row),
      payeeNames(visit.deps, [row]),
      refundedInvoices(visit.deps, [row]),
      worthsOfPayouts(visit, [row]),
    ]);
    const look = await toDecide(visit, story);
    const refunded = refunds.get(row.id);
    const facts = await factsOf(visit, { story, payee: payees(row), refunded, look });
    return (
      <Page
        visit={visit}
        title={payoutName(row, { payees, refunds })}
        up={UP}
        actions={<WithdrawalActions visit={visit} story={story} />}
        reload={reloadOf(story)}
        isLive
      >
        <State visit={visit} story={story} look={look} worth={worths.get(row.id)} />
        <RecordBody
          timeline={<Timeline visit={visit} story={story} steps={stepsOf(story)} />}
          facts={facts}
        />
        <Folds>
          <LedgerLines visit={visit} entries={story.entries} />
          <EventsCard visit={visit} events={story.events} empty="No event was sent about it yet" />
          <NotesCard
            visit={visit}
            subject={subjectOf(row)}
            action={`/withdrawals/${row.id}/notes`}
          />
          <RecipientHistory visit={visit} row={row} />
        </Folds>
      </Page>
    );
  },
  live: async (visit) => {
    const progress = await progressOf(visit, await ownWithdrawal(visit));
    return {
      reload: reloadOf(progress),
      depth: String(progress.depth ?? 0),
      waited: minutesOf(progress),
      ...stepFigures(stepsOf(progress)),
    };
  },
});

interface StateProps {
  readonly visit: Visit;
  readonly story: Story;
  readonly look: ToDecide;
  readonly worth: string | undefined;
}

const State = ({ visit, story, look, worth }: StateProps) => {
  const { row, bids, whys } = story;
  const known = knownOf(story);
  return (
    <RecordHead
      amount={<Money amount={row.amount} currency={visit.coin(row)} isWhole />}
      below={worth}
      state={<Status value={row.status} />}
    >
      <p class="whole">{payoutSentence(known)}</p>
      {whys.slice(1).map((why) => <p class="message warn">{whyText(why, known)}</p>)}
      <Unfunded visit={visit} row={row} />
      <Decide visit={visit} look={look} worth={worth} />
      <Stuck visit={visit} story={story} />
      {visit.isOperator && row.status === "broadcasted" && bids.some(isInDoubt) && (
        <InDoubt id={row.id} />
      )}
    </RecordHead>
  );
};

/** Until one is signed, those that follow fail too. */
const Unfunded = async ({ visit: { deps }, row }: { visit: Visit; row: WithdrawalRow }) => {
  if (row.failureReason !== "broadcast_rejected") return null;
  const { kind, subject } = emptyFailing(row);
  const [alert, wallet] = await Promise.all([
    deps.db.find(Alerts, [kind, subject, 1], "open"),
    hotWalletOf(deps.db, row),
  ]);
  if (!alert || !wallet || !await isGenuine(deps, Addresses, wallet)) return null;
  return (
    <p class="message warn">
      Payouts fail until coins are sent to the hot wallet <Hash text={wallet.address} isWhole />
      {" "}
      <a href={`${BASE}/wallets`}>See what it holds</a>
    </p>
  );
};

const InDoubt = ({ id }: { id: number }) => (
  <p class="message warn">
    Its token logged no payment:{" "}
    <a href={`${BASE}/withdrawals/${id}/settle`}>review and settle it</a>
  </p>
);

const common = { on: withdrawalPage, to: "/withdrawals/:id" };

const pushActs = [
  formOf(CANCEL_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/cancel",
    said: () => "Cancelled. The held amount is released",
  }),
  formOf(BUMP_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/bump",
    said: () => "The payment was sent again with a higher fee",
  }),
  formOf(RESEND_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/resend",
    said: ({ result }) => `Sent again: ${result}`,
  }),
  formOf(REVOKE_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/revoke",
    said: () => "Cancelling: an empty transaction with a higher fee was sent",
  }),
];

const noteAct = act({
  path: "/withdrawals/:id{[0-9]+}/notes",
  ability: "approve",
  on: withdrawalPage,
  run: async (visit) => {
    const row = await ownWithdrawal(visit);
    await writeNote(visit, subjectOf(row));
    return done(`/withdrawals/${row.id}`, "The note was added");
  },
});

function subjectOf({ id, accountId }: WithdrawalRow): NoteSubject {
  return { accountId, about: "withdrawal", name: String(id) };
}

export const WITHDRAWAL_ROUTES = [withdrawalPage, ...pushActs, noteAct];

const Reference = ({ text }: { text: string | null }) =>
  text === null ? <span class="quiet">none</span> : <bdi class="whole">{text}</bdi>;

const BatchLink = ({ id }: { id: number }) => <a href={`${BASE}/batches/${id}`}>{`batch ${id}`}</a>;

/** Only people make batches, and each line has a reference. */
async function batchIdOf({ deps: { db } }: Visit, { row }: Story): Promise<number | undefined> {
  const { accountId, clientReference: reference, keyId, requestedAtMs } = row;
  if (reference === null || !keyId.startsWith(HAND_KEY_PREFIX)) return undefined;
  return await batchOf(db, { accountId, reference, requestedAtMs });
}

const Approvals = (
  { story: { row, request }, hasRules }: { story: Story; hasRules: boolean },
) => {
  if (!request) return <>{row.approval}</>;
  const { given, needed, rules, expiresAtMs } = request;
  return (
    <>
      {`${given} of ${needed}`}
      {row.status === "pending" && row.approval === "waiting" && (
        <>
          , until <Time atMs={expiresAtMs} />
        </>
      )}
      {hasRules && rules.length > 0 && (
        <div class="small quiet">
          Asked for by {rules.map(({ label }, i) => (
            <>
              {i > 0 && ", "}
              <bdi class="whole">{label}</bdi>
            </>
          ))}
        </div>
      )}
    </>
  );
};

/** Never one that another has replaced. */
const Transaction = ({ story: { row, bids, network } }: { story: Story }) => {
  const mined = bids.find(({ tx }) => tx.blockHash !== null);
  const shown = mined ?? newestOpen(bids);
  if (!shown) {
    const isOver = row.status === "failed" && bids.length > 0;
    return <span class="quiet">{isOver ? "none was mined" : "none yet"}</span>;
  }
  return (
    <>
      <Sent network={network} txHash={shown.tx.txHash} />
      {shown.payment.purpose === "void" && (
        <div class="small quiet">The empty transaction that revokes the payment</div>
      )}
    </>
  );
};

function paidTo(
  { deps }: Visit,
  { accountId, network, toAddress }: WithdrawalRow,
): Promise<PageOf<WithdrawalRow>> {
  const values = { network, recipient: toAddress };
  return rowsOf(deps, WITHDRAWALS, { accountId, values, cursor: null, limit: SHOWN + 2 });
}

/** From the request to the block that makes it final. */
function stepsOf(progress: Progress): Step[] {
  const { row: { status } } = progress;
  const requested: Step = { text: "Requested", tone: "good", isCurrent: false };
  const approved = approvalSteps(progress);
  if (isUnpaid(status)) {
    const text = status === "failed" ? "Failed" : "Cancelled";
    const wasSent = progress.row.broadcastAtMs !== null;
    const sent: Step = { text: "Sent", tone: "good", isCurrent: false };
    const end: Step = { text, tone: status === "failed" ? "bad" : "plain", isCurrent: true };
    return [requested, ...wasSent ? [...approved, sent] : [], end];
  }
  const isWaiting = progress.row.approval === "waiting";
  const isSent = status !== "pending";
  const isPaid = status === "confirmed";
  return [
    requested,
    ...approved,
    step(status === "pending" && !isWaiting ? "Being sent" : "Sent", {
      isDone: isSent,
      isCurrent: status === "pending" && !isWaiting,
    }),
    step(depthText(progress), { isDone: isPaid, isCurrent: status === "broadcasted" }),
    step("Paid", { isDone: isPaid, isCurrent: isPaid }),
  ];
}

function approvalSteps({ row: { approval }, request }: Progress): Step[] {
  if (approval === null) return [];
  const isDone = approval === "approved";
  const { given = 0, needed = 1 } = request ?? {};
  const text = isDone ? "Approved" : `${given} of ${needed} approvals`;
  return [step(text, { isDone, isCurrent: !isDone })];
}

function depthText({ depth, network, row }: Progress): string {
  if (row.status !== "broadcasted") return "Mined";
  return depth === undefined ? "In no block yet" : `${depth} of ${network.minConfirmations} blocks`;
}

function step(
  text: string,
  { isDone, isCurrent }: Omit<Step, "text" | "tone"> & { isDone: boolean },
) {
  const tone = isDone ? "good" : isCurrent ? "under-way" : "plain";
  return { text, tone, isCurrent } as const;
}

/** How long it has waited, why, and what can be done about it. */
const Stuck: Component<{ visit: Visit; story: Story }> = async ({ visit, story }) => {
  const { network, bids, isStuck } = story;
  const newest = newestOpen(bids);
  if (!isStuck || !newest) return null;
  const { tx, payment: { purpose } } = newest;
  if (!isReplaceable(network)) return <Expiring story={story} tx={tx} />;
  const [ahead, price] = await Promise.all([
    transactionAhead(visit.deps.db, tx),
    // Others' transactions may be of any kind.
    purpose === "withdrawal" ? pushPriceOf(visit.deps, { network, tx }) : undefined,
  ]);
  return (
    <div class="message warn">
      <p>
        <Waiting story={story} />
        {price && ` ${offerText(price)}`}
      </p>
      {ahead ? <Behind ahead={ahead} /> : (
        <WhoPushes
          visit={visit}
          story={story}
          price={price}
          isVoid={purpose === "void"}
        />
      )}
    </div>
  );
};

const Waiting = ({ story }: { story: Story }) => (
  <>
    Waiting for <span id="waited">{minutesOf(story)}</span>.
  </>
);

function offerText({ offered, charged, unit }: PushPrice): string {
  const prices = `Offers ${shownText(offered.toString())} ${unit}, blocks charge ` +
    `${shownText(charged.toString())}.`;
  return offered.isLessThan(charged) ? prices : `${prices} It should be mined soon.`;
}

interface PushesProps {
  readonly visit: Visit;
  readonly story: Story;
  readonly price: PushPrice | undefined;
  readonly isVoid: boolean;
}

const WhoPushes = ({ visit, story: { row, network, canPush }, price, isVoid }: PushesProps) => {
  if (!canPush || !visit.may("POST", `/withdrawals/${row.id}/bump`)) {
    const only = visit.seesAll ? "" : " Only the operator can do that at once.";
    return <p>It is sent again with a higher fee automatically.{only}</p>;
  }
  const what = isVoid ? "Revoke it with a higher fee" : "Pay a higher fee";
  const label = price
    ? `Pay about ${shownText(price.more.toString())} ${network.nativeSymbol} more`
    : what;
  return (
    <>
      <p>It is sent again with a higher fee automatically, or now:</p>
      <Form visit={visit} action={`/withdrawals/${row.id}/bump`} isInline>
        <Submit>{label}</Submit>
      </Form>
    </>
  );
};

/** Of a wallet's transactions, those with lower nonces are mined first. */
const Behind = ({ ahead: { tx, payments: [payment] } }: { ahead: Signed }) => (
  <p>
    The wallet's transaction before it waits too, and has to be mined first: {payment?.withdrawalId
      ? (
        <a href={`${BASE}/withdrawals/${payment.withdrawalId}`}>
          {`payout ${payment.withdrawalId}`}
        </a>
      )
      : `nonce ${tx.place}`}
  </p>
);
