import type { Component } from "../../../base/html.ts";
import type { PaymentEvent } from "../../../store/reads/pages/payment_events.ts";
import { againPath } from "../../paths.ts";
import { BASE, type Visit } from "../../visit.ts";
import { Fold, Time } from "../facts.tsx";
import { RowsForm, Submit } from "../form.tsx";
import { type Column, Table } from "../table.tsx";
import { DeliveryStatus } from "./delivery_status.tsx";

interface EventsProps {
  readonly visit: Visit;
  readonly events: readonly PaymentEvent[];
  readonly empty: string;
}

/** Which webhooks got its events, and what they answered. */
export const EventsCard: Component<EventsProps> = ({ visit, events, empty }) => {
  const isAgain = visit.isAble("manage_webhooks") && events.some(isSent);
  const table = (
    <Table
      caption="Events"
      rows={events}
      columns={isAgain ? [...DELIVERIES, AGAIN] : DELIVERIES}
      empty={empty}
    />
  );
  return (
    <Fold
      title="Events"
      count={events.length}
      isOpen={events.some(({ lastError }) => lastError !== null)}
    >
      {isAgain ? <RowsForm visit={visit}>{table}</RowsForm> : table}
    </Fold>
  );
};

function isSent(event: PaymentEvent): event is PaymentEvent & { endpointId: number } {
  return event.endpointId !== null;
}

const DELIVERIES: readonly Column<PaymentEvent>[] = [
  {
    title: "Event",
    at: "title",
    cell: (event) =>
      isSent(event)
        ? <a href={`${BASE}/webhooks/${event.endpointId}/deliveries/${event.id}`}>{event.type}</a>
        : event.type,
  },
  { title: "Created", at: "age", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  {
    title: "Webhook",
    cell: ({ endpointId }) =>
      endpointId === null
        ? <span class="quiet">no webhook receives it</span>
        : <a href={`${BASE}/webhooks/${endpointId}`}>{`webhook ${endpointId}`}</a>,
  },
  {
    title: "Status",
    at: "state",
    cell: ({ state, lastError }) =>
      state === null ? "–" : <DeliveryStatus state={state} error={lastError} />,
  },
  { title: "Last answer", cell: (event) => <LastAnswer event={event} /> },
];

const AGAIN: Column<PaymentEvent> = {
  title: "Send again",
  isTitleHidden: true,
  cell: (event) =>
    isSent(event) && (
      <Submit tone="link" action={againPath({ ...event, eventId: event.id })}>Send again</Submit>
    ),
};

/** As text: a receiver's HTML must never become ours. */
const LastAnswer = ({ event }: { event: PaymentEvent }) => {
  const { lastStatus, lastError, lastResponse } = event;
  if (lastStatus === null && lastError === null) return <span class="quiet">none yet</span>;
  return (
    <>
      <span class="whole">{lastError ?? `HTTP ${lastStatus}`}</span>
      {lastError !== null && lastResponse && (
        <div class="small quiet">
          <bdi class="cut" title={lastResponse}>{lastResponse}</bdi>
        </div>
      )}
    </>
  );
};
