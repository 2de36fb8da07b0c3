import { refundableOf } from "../../refunds/refundable.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import type { NoteSubject } from "../../notes/table.ts";
import { Card, Money } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { EventsCard } from "../../dashboard/parts/payment/events.tsx";
import { NotesCard } from "../../dashboard/parts/payment/notes.tsx";
import { stepFigures, Steps } from "../../dashboard/parts/payment/steps.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { invoiceSentence } from "../words.ts";
import { InvoiceActions } from "./_actions.tsx";
import { InvoiceFacts, Methods, Payments, Refunds } from "./_facts.tsx";
import { PayersPage } from "./_link.tsx";
import { InvoiceStatus } from "./_status.tsx";
import { reloadOf, seenOf, stepsOf, type Story, storyOf } from "./_story.ts";
import { Timeline } from "./_timeline.tsx";

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
