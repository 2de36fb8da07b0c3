import { first } from "../../base/lists.ts";
import { sendEventAgain } from "../send_again.ts";
import { attemptsOfDelivery } from "../reads/endpoints.ts";
import { type EventRow, Events } from "../tables/events.ts";
import {
  type WebhookAttemptRow,
  WebhookDeliveries,
  type WebhookDeliveryRow,
  type WebhookEndpointRow,
} from "../tables/webhooks.ts";
import { Card, Empty, Facts, Hash, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { DeliveryStatus } from "../../dashboard/parts/payment/delivery_status.tsx";
import { againPath } from "../../dashboard/paths.ts";
import { EndpointLink, orderOf, Outcome, ownWebhook } from "./_parts.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";

const UP = { path: "/webhooks/deliveries", label: "Deliveries" };

interface Found {
  readonly endpoint: WebhookEndpointRow;
  readonly row: WebhookDeliveryRow;
  readonly event: EventRow;
}

async function ownDelivery(visit: Visit): Promise<Found> {
  const endpoint = await ownWebhook(visit);
  const key = [visit.id("event"), endpoint.id];
  const { db } = visit.deps;
  const [row, event] = await Promise.all([
    db.find(WebhookDeliveries, key),
    db.find(Events, [first(key)]),
  ]);
  if (!row) throw new NotFound();
  return { endpoint, row, event: visit.own(event) };
}

const deliveryPage = page({
  path: "/webhooks/:id{[0-9]+}/deliveries/:event{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const found = await ownDelivery(visit);
    const { row, event } = found;
    const attempts = await attemptsOfDelivery(visit.deps.db, row);
    return (
      <Page visit={visit} title={`Delivery of ${event.type}`} up={UP}>
        <Card
          title="Delivery"
          actions={<DeliveryStatus state={row.state} error={attempts[0]?.error} />}
        >
          <DeliveryFacts {...found} />
          <Form visit={visit} action={againPath(row)}>
            <Submit>Send again</Submit>
          </Form>
          <details>
            <summary>Payload</summary>
            <pre>{JSON.stringify(event.payload, null, 2)}</pre>
          </details>
        </Card>
        <Card title="Attempts">
          <Attempts rows={attempts} />
        </Card>
      </Page>
    );
  },
});

const DeliveryFacts = ({ endpoint, row, event }: Found) => (
  <Facts
    rows={[
      ["Event", <Hash text={event.eventId} isWhole />],
      ["Event time", <Time atMs={event.createdAtMs} />],
      ["Webhook", <EndpointLink id={endpoint.id} text={`${endpoint.id}, ${endpoint.url}`} />],
      ["Attempts", row.attempts],
      nextOf(row),
    ]}
  />
);

function nextOf({ state, nextTryAtMs, settledAtMs }: WebhookDeliveryRow) {
  return state === "pending"
    ? ["Next attempt", <Time atMs={nextTryAtMs} />] as const
    : [state === "dead" ? "Gave up" : "Delivered", <Time atMs={settledAtMs} />] as const;
}

const Attempts = ({ rows }: { rows: readonly WebhookAttemptRow[] }) =>
  rows.length === 0
    ? <Empty>No attempts in the last 30 days</Empty>
    : (
      <ol class="timeline" reversed>
        {rows.map((row) => (
          <li>
            <Time atMs={row.atMs} /> <span class="quiet">{`${row.latencyMs} ms`}</span>
            <Outcome attempt={row} />
          </li>
        ))}
      </ol>
    );

/** Waits for the answer, which the page then shows as its newest attempt. */
const againAct = act({
  path: "/webhooks/:id{[0-9]+}/deliveries/:event{[0-9]+}/again",
  ability: "manage_webhooks",
  on: deliveryPage,
  run: async (visit) => {
    const { endpoint, event } = await ownDelivery(visit);
    const order = { ...orderOf(visit, endpoint), eventId: event.id };
    const { error, status, latencyMs } = await sendEventAgain(visit.deps, order);
    const to = `/webhooks/${endpoint.id}/deliveries/${event.id}`;
    if (error === null) return done(to, `Delivered: HTTP ${status} after ${latencyMs} ms`);
    const text = `Sent, but not delivered: ${error}. The answer is below`;
    return { to, flash: { kind: "fault", text } };
  },
});

export const DELIVERY_ROUTES = [deliveryPage, againAct];
