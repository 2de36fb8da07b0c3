import type { AuditRow } from "../../audit/table.ts";
import { Qr } from "../../base/qr.tsx";
import { PAYER } from "../../books/trail.ts";
import { CopyButton, Fold, Money, Time } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { EventsCard } from "../../dashboard/parts/payment/events.tsx";
import { NotesCard } from "../../dashboard/parts/payment/notes.tsx";
import { Person } from "../../dashboard/parts/payment/person.tsx";
import { Folds, RecordBody, RecordHead } from "../../dashboard/parts/payment/record.tsx";
import { stepFigures } from "../../dashboard/parts/payment/steps.tsx";
import { deedsOf, type Moment, Moments, reached } from "../../dashboard/parts/payment/timeline.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { orderName } from "../../dashboard/words/orders.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { CancelInvoice, InvoiceActions } from "./_actions.tsx";
import { factsOf, Methods, PaymentLinkName, Payments, Refunds } from "./_facts.tsx";
import { InvoiceStatus } from "./_status.tsx";
import { reloadOf, seenOf, type Shape, stepsOf, type Story, storyOf } from "./_story.ts";
import { LINK_ID } from "../payment_link_shape.ts";
import { isFinalStatus } from "../rules/status.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import { invoiceSentence } from "../words.ts";
import type { NoteSubject } from "../../notes/table.ts";
import { refundableOf } from "../../refunds/refundable.ts";

const Timeline = ({ visit, story }: { visit: Visit; story: Story }) => (
  <Moments of={momentsOf(visit, story)} steps={stepsOf(story.shape)} />
);

const Asked = (
  { visit, story: { row }, actor }: {
    visit: Visit;
    story: Pick<Story, "row">;
    actor: string | null;
  },
) => (
  <li>
    <strong>Created</strong> by <Creator visit={visit} row={row} actor={actor} />,{" "}
    <Time atMs={row.createdAtMs} />{" "}
    <p class="quiet">
      Prices were locked for {row.methods.map((one) => visit.coin(one)).join(", ")}.
    </p>
  </li>
);

/** Payers start those of payment links. */
const Creator = (
  { visit, row: { metadata }, actor }: Pick<Story, "row"> & { visit: Visit; actor: string | null },
) => {
  const link = metadata[LINK_ID];
  if (link === undefined) return <Person visit={visit} actor={actor} />;
  return (
    <>
      the payer, through <PaymentLinkName visit={visit} id={link} />
    </>
  );
};

const DEEDS: Readonly<Record<string, string>> = {
  "invoice.extended": "Extended",
  "invoice.accepted": "Accepted as paid",
  "invoice.cancelled": "Cancelled",
  "invoice.refunded": "Refunded",
  "invoice.refund_link_made": "Refund link made for",
};

/** Somebody else approves it. */
const BY_PAYER: typeof DEEDS = { "invoice.refunded": "Refund asked for" };

const UP = { path: "/invoices", label: "Invoices" };

export function noteSubject({ id, accountId }: InvoiceRow): NoteSubject {
  return { accountId, about: "invoice", name: String(id) };
}

export async function ownInvoice(visit: Visit): Promise<InvoiceRow> {
  return visit.own(await visit.deps.db.find(Invoices, [visit.id()]));
}

export const invoicePage = page({
  path: "/invoices/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const row = await ownInvoice(visit);
    const story = await storyOf(visit, row);
    const { shape } = story;
    return (
      <Page
        visit={visit}
        title={orderName(row)}
        up={UP}
        actions={<Links visit={visit} story={story} />}
        reload={reloadOf(story)}
        isLive
      >
        <State story={story} />
        <RecordBody
          timeline={<Timeline visit={visit} story={story} />}
          facts={factsOf(visit, story)}
        />
        <Folds>
          <InvoiceActions visit={visit} shape={shape} />
          <PayersCode shape={shape} />
          <Payments visit={visit} shape={shape} />
          <Refunds visit={visit} shape={shape} />
          <Methods visit={visit} shape={shape} />
          <EventsCard
            visit={visit}
            events={story.events}
            empty="No event was sent about it yet: one follows each change of its status"
          />
          <NotesCard
            visit={visit}
            subject={noteSubject(row)}
            action={`/invoices/${row.id}/notes`}
          />
        </Folds>
      </Page>
    );
  },
  live: async (visit) => {
    const seen = await seenOf(visit, await ownInvoice(visit));
    return { reload: reloadOf(seen), ...stepFigures(stepsOf(seen.shape)) };
  },
});

const Links = ({ visit, story: { row, shape } }: { visit: Visit; story: Story }) => (
  <>
    <CopyButton text={shape.url} label="Copy link" />
    <RefundLink visit={visit} row={row} />
    <CancelInvoice visit={visit} shape={shape} />
  </>
);

const RefundLink = async ({ visit, row }: { visit: Visit; row: InvoiceRow }) => {
  const path = `/invoices/${row.id}/refund`;
  if (!visit.may("GET", path)) return null;
  const coins = await refundableOf(visit.deps, row);
  return coins.length > 0 && <a class="button plain" href={BASE + path}>Refund</a>;
};

const State = ({ story: { row, shape, isBegun, refunded } }: { story: Story }) => (
  <RecordHead
    amount={<Money amount={row.amount} quote={row.currency} isWhole />}
    state={<InvoiceStatus status={row.status} isBegun={isBegun} refunded={refunded} />}
  >
    <p class="whole">{invoiceSentence({ ...shape, refunded })}</p>
  </RecordHead>
);

export const INVOICE_ROUTES = [invoicePage];

/** While there is something to pay. */
const PayersCode = ({ shape: { url, status } }: { shape: Shape }) =>
  !isFinalStatus(status) && (
    <Fold title="Code for the payer">
      <Qr text={url} label="Code with the link to the payer's page" />
    </Fold>
  );

function momentsOf(visit: Visit, { row, payments, audited }: Story): Moment[] {
  const isOver = row.expiresAtMs <= visit.nowMs;
  const byHand = audited.find(({ action }) => action === "invoice.created");
  const actor = byHand?.actor ?? `api:${row.keyId}`;
  return [
    { atMs: row.createdAtMs, shown: <Asked visit={visit} story={{ row }} actor={actor} /> },
    ...payments.flatMap((payment) => seen(visit, payment)),
    ...deedsOf(visit, {
      ...{
        audited: audited.filter((entry) => !isByPayer(entry)),
        words: DEEDS,
        about: refundIn(visit),
      },
    }),
    ...deedsOf(visit, {
      audited: audited.filter(isByPayer),
      words: BY_PAYER,
      about: refundIn(visit),
    }),
    ...isOver && row.status !== "paid" ? reached("Time was up", row.expiresAtMs) : [],
    ...reached("Paid", row.paidAtMs),
  ];
}

function seen(visit: Visit, row: TransactionRow) {
  const { id, createdAtMs, confirmedAtMs } = row;
  const link = <a href={`${BASE}/deposits/${id}`}>{visit.money(row)}</a>;
  const moment = (words: string, atMs: number): Moment => ({
    atMs,
    shown: (
      <li>
        <strong>{words}</strong> {link}, <Time atMs={atMs} />
      </li>
    ),
  });
  return [
    moment("Payment seen:", createdAtMs),
    ...confirmedAtMs === null ? [] : [moment("Credited:", confirmedAtMs)],
  ];
}

/** How much, and the payout that pays it. */
const refundIn = (visit: Visit) => ({ detail }: AuditRow) => {
  const { amount, network, currency, withdrawal_id: id } = detail;
  if (typeof amount !== "string") return null;
  const text = visit.money({ amount, network: String(network), currency: String(currency) });
  return (
    <>{" "}{typeof id === "number" ? <a href={`${BASE}/withdrawals/${id}`}>{text}</a> : text}</>
  );
};

function isByPayer({ actor }: AuditRow): boolean {
  return actor === PAYER;
}
