import { z } from "zod";
import { fromHex, toHex, utf8 } from "../../base/bytes.ts";
import { genuine } from "../../books/tampered.ts";
import { redeliverEvent } from "../redeliver.ts";
import { EVENT_TYPES } from "../rules/events.ts";
import { DELIVERY_STATES } from "../rules/webhook_schedule.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { deliveriesOf, eventPage, type ListedDelivery } from "../reads/events.ts";
import { type EventRow, Events } from "../tables/events.ts";
import { accountOf, owned } from "../../http/caller.ts";
import { strict } from "../../http/endpoint.ts";
import { EVENT_ID, exampleEvent } from "../../http/openapi/event_examples.ts";
import { ENVELOPES, WebhookEvent } from "../../http/openapi/events.ts";
import { list } from "../../http/lists/list.ts";
import { nextOf } from "./_paging.ts";
import { ok } from "../../http/reply.ts";
import { asRefused, writerOf } from "../../http/routes/writer.ts";
import * as wire from "../../domain/wire.ts";

const CURSOR = /^event (\d{1,15})$/;

/** Only pages of this list give cursors out. */
const opaque = {
  textOf: (id: number) => toHex(utf8(`event ${id}`)),
  cursor: z.string().transform((text, context) => {
    const [, id] = CURSOR.exec(new TextDecoder().decode(fromHex(text))) ?? [];
    if (id !== undefined) return Number(id);
    context.addIssue({ code: "custom", message: "Must be the next_cursor of a page" });
    return z.NEVER;
  }).meta({ description: "The `next_cursor` of the previous page." }).optional(),
};

const EventDelivery = z.object({
  webhook_id: wire.Id,
  state: z.enum(DELIVERY_STATES).meta({
    description: "`dead` after the last attempt has failed.",
  }),
  attempts: z.int().min(0),
  next_try_at: wire.Time.nullable().meta({ description: "Null unless it is pending." }),
  last_status: z.int().nullable().meta({ description: "The HTTP status of the last attempt." }),
  last_error: z.string().nullable(),
  settled_at: wire.Time.nullable().meta({ description: "When it was delivered or given up." }),
}).meta({ id: "EventDelivery" });

const DeliveredEvent = z.union(
  EVENT_TYPES.map((type) => ENVELOPES[type].extend({ deliveries: z.array(EventDelivery) })),
).meta({ id: "DeliveredEvent" });

const Redelivery = z.object({
  event_id: z.string(),
  redelivered: z.int().min(0).meta({ description: "The number of webhooks it is sent to." }),
}).meta({ id: "Redelivery" });

const EVENT = exampleEvent("deposit.confirmed");
const ALL = { permission: "manage_webhooks", tag: "Webhooks", path: "/v1/events" } as const;
const ONE = { ...ALL, path: "/v1/events/{event_id}", refusals: ["not_found"] } as const;
const PATH = { event_id: EVENT_ID };
/** An account has fewer webhooks. */
const DELIVERIES_MAX = 100;

export const listEvents = list({
  ...ALL,
  operationId: "listEvents",
  summary: "List events",
  description:
    "Everything that webhooks were sent, or would have been, newest first. Use it to catch up after an outage. Delivered events are kept for 30 days.",
  query: z.object({}),
  data: WebhookEvent,
  line: z.object({ id: z.string(), type: z.string(), timestamp: wire.Time, data: z.unknown() }),
  opaque,
  // An invoice's may be as large as the invoice.
  rowsAtOnce: 20,
  refusals: [],
  example: { data: EVENT },
  page: async (deps, { accountId, cursor, limit }) => {
    const found = await eventPage(deps.db, { accountId, cursor, limit });
    const rows = await genuine(deps, Events, found);
    return { rows: rows.map(eventEntry), next: nextOf(rows, limit)?.id ?? null };
  },
});

function eventEntry({ payload }: EventRow): object {
  return payload as object;
}

export const readEvent = strict({
  ...ONE,
  method: "GET",
  operationId: "readEvent",
  summary: "Read an event",
  description: "Includes its delivery to each webhook.",
  data: DeliveredEvent,
  example: {
    path: PATH,
    data: {
      ...EVENT,
      deliveries: [{
        ...{ webhook_id: 3, state: "delivered", attempts: 1, next_try_at: null },
        ...{ last_status: 200, last_error: null, settled_at: "2026-01-31T12:06:36+00:00" },
      }],
    },
  },
  handle: (deps) => async (c) => {
    const found = await deps.db.find(Events, [c.req.param("event_id") ?? ""], "eventId");
    const row = owned(found, accountOf(c));
    await genuine(deps, Events, [row]);
    const deliveries = await deliveriesOf(deps.db, { eventId: row.id, limit: DELIVERIES_MAX });
    return ok(c, { ...eventEntry(row), deliveries: deliveries.map(deliveryEntry) });
  },
});

function deliveryEntry(row: ListedDelivery): z.input<typeof EventDelivery> {
  return {
    webhook_id: row.endpointId,
    state: row.state,
    attempts: row.attempts,
    next_try_at: row.state === "pending" ? isoUtc(row.nextTryAtMs) : null,
    last_status: row.lastStatus,
    last_error: row.lastError,
    settled_at: isoUtcOrNull(row.settledAtMs),
  };
}

export const sendAgain = strict({
  ...ONE,
  method: "POST",
  path: `${ONE.path}/redeliver`,
  operationId: "redeliverEvent",
  summary: "Send an event again",
  description:
    "To every webhook that now receives its type, even if it was delivered before. It keeps its id. At most 60 a minute.",
  data: Redelivery,
  example: { path: PATH, data: { event_id: EVENT_ID, redelivered: 1 } },
  handle: (deps) => async (c) => {
    const eventId = c.req.param("event_id") ?? "";
    const order = { ...await writerOf(deps, c), eventId };
    return ok(c, {
      event_id: eventId,
      redelivered: await asRefused(redeliverEvent(deps, order)),
    });
  },
});
