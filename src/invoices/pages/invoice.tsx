import type { AuditRow } from "../../audit/table.ts";
import { Qr } from "../../base/qr.tsx";
import { PAYER } from "../../books/trail.ts";
import { Card, CopyButton, Money, Time } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { EventsCard } from "../../dashboard/parts/payment/events.tsx";
import { NotesCard } from "../../dashboard/parts/payment/notes.tsx";
import { Person } from "../../dashboard/parts/payment/person.tsx";
import { stepFigures, Steps } from "../../dashboard/parts/payment/steps.tsx";
import { deedsOf, type Moment, Moments, reached } from "../../dashboard/parts/payment/timeline.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { InvoiceActions } from "./_actions.tsx";
import { InvoiceFacts, Methods, PaymentLinkName, Payments, Refunds } from "./_facts.tsx";
import { InvoiceStatus } from "./_status.tsx";
import { reloadOf, seenOf, type Shape, stepsOf, type Story, storyOf } from "./_story.ts";
import { LINK_ID } from "../payment_link_shape.ts";
import { isFinalStatus } from "../rules/status.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import { invoiceSentence } from "../words.ts";
import type { NoteSubject } from "../../notes/table.ts";
import { refundableOf } from "../../refunds/refundable.ts";

const Timeline = ({ visit, story }: { visit: Visit; story: Story }) => (
  <Moments of={momentsOf(visit, story)} />
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
      Prices were locked for {row.methods.map(coinText).join(", ")}.
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
        title={`Invoice ${row.id}`}
        up={UP}
        actions={<RefundLink visit={visit} row={row} />}
        reload={reloadOf(story)}
        isLive
      >
        <State visit={visit} story={story} />
        <PayersPage shape={shape} />
        <Card title="Invoice">
          <InvoiceFacts visit={visit} story={story} />
        </Card>
        <Payments shape={shape} />
        <Refunds shape={shape} />
        <Methods shape={shape} />
        <Card title="Timeline">
          <Timeline visit={visit} story={story} />
        </Card>
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
      </Page>
    );
  },
  live: async (visit) => {
    const seen = await seenOf(visit, await ownInvoice(visit));
    return { reload: reloadOf(seen), ...stepFigures(stepsOf(seen.shape)) };
  },
});

const RefundLink = async ({ visit, row }: { visit: Visit; row: InvoiceRow }) => {
  const path = `/invoices/${row.id}/refund`;
  if (!visit.may("GET", path)) return null;
  const coins = await refundableOf(visit.deps, row);
  return coins.length > 0 && <a class="button plain" href={BASE + path}>Refund</a>;
};

const State = ({ visit, story: { row, shape, refunded } }: { visit: Visit; story: Story }) => (
  <Card title="State" actions={<InvoiceStatus status={row.status} refunded={refunded} />}>
    <p class="big">
      <Money amount={row.amount} quote={row.currency} isWhole />
    </p>
    <p class="whole">{invoiceSentence({ ...shape, refunded })}</p>
    <Steps steps={stepsOf(shape)} />
    <InvoiceActions visit={visit} shape={shape} />
  </Card>
);

export const INVOICE_ROUTES = [invoicePage];

/** What the payer gets: a link, and its code while there is something to pay. */
const PayersPage = ({ shape: { url, status } }: { shape: Shape }) => (
  <Card title="The payer's page">
    <p>
      <a class="whole" href={url}>{url}</a> <CopyButton text={url} label="Copy link" />
    </p>
    {!isFinalStatus(status) && <Qr text={url} label="Code with the link to the payer's page" />}
  </Card>
);

function momentsOf(visit: Visit, { row, payments, audited }: Story): Moment[] {
  const isOver = row.expiresAtMs <= visit.nowMs;
  const byHand = audited.find(({ action }) => action === "invoice.created");
  const actor = byHand?.actor ?? `api:${row.keyId}`;
  return [
    { atMs: row.createdAtMs, shown: <Asked visit={visit} story={{ row }} actor={actor} /> },
    ...payments.flatMap((payment) => seen(payment)),
    ...deedsOf(visit, {
      ...{ audited: audited.filter((entry) => !isByPayer(entry)), words: DEEDS, about: refundIn },
    }),
    ...deedsOf(visit, { audited: audited.filter(isByPayer), words: BY_PAYER, about: refundIn }),
    ...isOver && row.status !== "paid" ? reached("Time was up", row.expiresAtMs) : [],
    ...reached("Paid", row.paidAtMs),
  ];
}

function seen(row: TransactionRow) {
  const { id, amount, createdAtMs, confirmedAtMs } = row;
  const link = <a href={`${BASE}/deposits/${id}`}>{`${amount} ${coinText(row)}`}</a>;
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
function refundIn({ detail }: AuditRow) {
  const { amount, network, currency, withdrawal_id: id } = detail;
  if (typeof amount !== "string") return null;
  const text = `${amount} ${coinText({ network: String(network), currency: String(currency) })}`;
  return (
    <>{" "}{typeof id === "number" ? <a href={`${BASE}/withdrawals/${id}`}>{text}</a> : text}</>
  );
}

function isByPayer({ actor }: AuditRow): boolean {
  return actor === PAYER;
}
