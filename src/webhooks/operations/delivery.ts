import { findAccount } from "../../books/find.ts";
import type { Deps } from "../../deps/deps.ts";
import { first } from "../../base/lists.ts";
import { redeliverBetween, redeliverDead, redeliverEvent } from "../redeliver.ts";
import * as kind from "../../domain/kinds.ts";
import { NoRecord } from "../../domain/refusal.ts";
import { DELIVERY_STATES } from "../rules/webhook_schedule.ts";
import { webhookEndpoints } from "../reads/due.ts";
import { attemptsOf, listDeliveries, type ListedDelivery } from "../reads/events.ts";
import { Events } from "../tables/events.ts";
import { operation, optional, UsageError, withFallback } from "../../operations/operation.ts";
import { attemptShape, deliveryShape } from "../shapes.ts";

const LISTED = 1000;
const EVENT_ID = { name: "EVENT_ID", help: "the event's id, as webhook deliveries shows it" };

export const DELIVERY_COMMANDS = [
  operation({
    words: ["webhook", "deliveries"],
    reads: "see",
    summary: "Lists deliveries of events, newest first",
    flags: {
      state: optional(kind.choice(DELIVERY_STATES), {
        help: "only those in this state",
        example: "dead",
      }),
      account: optional(kind.recordId, { help: "only this account's", example: "1" }),
      webhook: optional(kind.recordId, { help: "only to this webhook", example: "1" }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
        help: "how many at most",
        example: "50",
        fallback: LISTED,
      }),
    },
    examples: ["webhook deliveries --state dead", "webhook deliveries --account 1"],
    columns: [
      "event_id",
      "type",
      "webhook_id",
      "state",
      "attempts",
      "next_try_at",
      "last_status",
      "last_error",
      "created_at",
    ],
    run: async (context, { flags: { state, account, webhook, limit } }) => {
      const deps = await context.deps();
      const wanted = { state, endpointId: webhook, limit: limit + 1 };
      const rows = account === undefined
        ? await listDeliveries(deps.db, wanted)
        : await deliveriesOfAccount(deps, account, wanted);
      if (rows.length > limit) context.note(`Showing the newest ${limit}; --limit shows more`);
      return rows.slice(0, limit).map(deliveryShape);
    },
  }),
  operation({
    words: ["webhook", "attempts"],
    reads: "see",
    of: ownerOfEvent,
    summary: "Shows the attempts to deliver an event and their results, for 30 days",
    positionals: [EVENT_ID],
    flags: {},
    examples: ["webhook attempts evt_3q2-7w"],
    columns: ["webhook_id", "at", "delivered", "status", "latency_ms", "error", "response"],
    run: async (context, { positionals }) => {
      const { db } = await context.deps();
      const event = await db.find(Events, [first(positionals)], "eventId");
      if (!event) throw new NoRecord(`There is no event ${positionals[0]}`);
      return (await attemptsOf(db, { eventId: event.id, limit: LISTED })).map(attemptShape);
    },
  }),
  operation({
    words: ["webhook", "redeliver"],
    changes: "manage_webhooks",
    summary: "Sends an event again, or all events of a period, or all dead ones",
    positionals: [{ ...EVENT_ID, isRest: true }],
    flags: {
      from: optional(kind.moment, { help: "events from this time on", example: "2026-01-31" }),
      to: optional(kind.moment, {
        help: "events up to this time",
        example: "2026-01-31T12:00:00Z",
      }),
      dead: optional(kind.present, { help: "all that ran out of attempts", example: "" }),
      account: optional(kind.recordId, { help: "only this account's", example: "1" }),
    },
    examples: [
      "webhook redeliver evt_3q2-7w",
      "webhook redeliver --from 2026-01-31T00:00:00Z --to 2026-01-31T12:00:00Z",
      "webhook redeliver --dead",
    ],
    run: async (context, { positionals, flags: { from, to, dead, account: accountId } }) => {
      const isRange = from !== undefined || to !== undefined;
      if ([positionals.length > 0, isRange, dead === true].filter(Boolean).length !== 1) {
        throw new UsageError("Give an EVENT_ID, or --from and --to, or --dead");
      }
      const range = from !== undefined && to !== undefined && { fromMs: from, toMs: to };
      if (isRange && !range) throw new UsageError("--from and --to go together");
      const deps = await context.deps();
      const order = { accountId, actor: context.actor };
      if (dead) return { redelivered: await redeliverDead(deps, order) };
      if (range) return { redelivered: await redeliverBetween(deps, { ...order, ...range }) };
      let redelivered = 0;
      for (const eventId of positionals) {
        redelivered += await redeliverEvent(deps, { ...order, eventId });
      }
      return { event_id: positionals[0], redelivered };
    },
  }),
];

/** Each of its few webhooks has an index of its own deliveries. */
async function deliveriesOfAccount(
  deps: Deps,
  accountId: number,
  wanted: Parameters<typeof listDeliveries>[1],
): Promise<ListedDelivery[]> {
  await findAccount(deps, accountId);
  const endpoints = (await webhookEndpoints(deps.db, accountId))
    .filter(({ id }) => wanted.endpointId === undefined || id === wanted.endpointId);
  const lists = await Promise.all(
    endpoints.map(({ id }) => listDeliveries(deps.db, { ...wanted, endpointId: id })),
  );
  return lists.flat().toSorted((a, b) => b.place - a.place || b.endpointId - a.endpointId);
}

async function ownerOfEvent({ db }: Deps, positionals: readonly string[]) {
  return (await db.find(Events, [first(positionals)], "eventId"))?.accountId;
}
