import { first } from "../../base/lists.ts";
import { findAccount } from "../../actions/books/find.ts";
import { type AddedWebhook, addWebhook } from "../../actions/webhooks/add.ts";
import {
  enableWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from "../../actions/webhooks/manage_webhooks.ts";
import {
  redeliverBetween,
  redeliverDead,
  redeliverEvent,
} from "../../actions/webhooks/redeliver.ts";
import { testWebhook } from "../../actions/webhooks/test.ts";
import { DELIVERY_STATES } from "../../domain/webhook_schedule.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { Events } from "../../store/tables/events.ts";
import { attemptsOf, listDeliveries } from "../../store/reads/webhooks/events.ts";
import { webhookEndpoints } from "../../store/reads/webhooks/due.ts";
import {
  ACTOR,
  command,
  type Context,
  optional,
  required,
  UsageError,
  withFallback,
} from "../command.ts";
import * as kind from "../../domain/kinds.ts";
import { attemptShape, deliveryShape, outcomeShape, webhookShape } from "../shapes/webhook.ts";

const LISTED = 1000;
const ID = { name: "ID", help: "the webhook's id, as webhook list shows it" };
const EVENT_ID = { name: "EVENT_ID", help: "the event's id, as webhook deliveries shows it" };
const KEEP_SECRET = "Save the secret now: it won't be shown again.";

const MANAGEMENT = [
  command({
    words: ["webhook", "add"],
    summary: "Sends an account's events to a URL; shows the secret, only this once",
    flags: {
      account: required(kind.recordId, { help: "whose events", example: "1" }),
      url: required(kind.text({ max: 2000 }), {
        help: "an https URL",
        example: "https://shop.example.com/cpg",
      }),
      events: withFallback(kind.eventTypes, {
        help: "which events; all if not given",
        example: "deposit.confirmed,withdrawal.failed",
        fallback: null,
      }),
    },
    examples: [
      "webhook add --account 1 --url https://shop.example.com/cpg",
      "webhook add --account 1 --url https://shop.example.com/cpg --events deposit.confirmed",
    ],
    run: async (context, { flags }) => {
      const added = await addWebhook(await context.deps(), {
        accountId: flags.account,
        url: flags.url,
        eventTypes: flags.events,
        actor: ACTOR,
      });
      context.note(KEEP_SECRET);
      noteDoubts(context, added);
      const { webhook_id, ...rest } = webhookShape(added.row);
      return { webhook_id, secret: added.secret, ...rest };
    },
  }),
  command({
    words: ["webhook", "list"],
    summary: "Lists webhooks, without their secrets",
    flags: { account: optional(kind.recordId, { help: "only this account's", example: "1" }) },
    examples: ["webhook list --account 1"],
    columns: ["webhook_id", "account_id", "url", "events", "enabled", "failures", "paused_until"],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      if (flags.account !== undefined) await findAccount(deps, flags.account);
      return (await webhookEndpoints(deps.db, flags.account)).map(webhookShape);
    },
  }),
  command({
    words: ["webhook", "remove"],
    summary: "Removes a webhook and drops the events that wait for it",
    positionals: [ID],
    flags: {},
    examples: ["webhook remove 1"],
    run: async (context, { positionals }) =>
      webhookShape(await removeWebhook(await context.deps(), orderOf(positionals))),
  }),
  command({
    words: ["webhook", "rotate"],
    summary: "Gives a webhook a new secret; the old one also signs for another 24 hours",
    positionals: [ID],
    flags: {},
    examples: ["webhook rotate 1"],
    run: async (context, { positionals }) => {
      const { row, secret } = await rotateWebhookSecret(
        await context.deps(),
        orderOf(positionals),
      );
      context.note(KEEP_SECRET);
      const { webhook_id, ...rest } = webhookShape(row);
      return { webhook_id, secret, ...rest };
    },
  }),
  command({
    words: ["webhook", "enable"],
    summary: "Enables a webhook that answered 410 or is paused; waiting events are sent now",
    positionals: [ID],
    flags: {},
    examples: ["webhook enable 1"],
    run: async (context, { positionals }) =>
      webhookShape(await enableWebhook(await context.deps(), orderOf(positionals))),
  }),
  command({
    words: ["webhook", "test"],
    summary: "Sends a signed ping now and shows the answer; exit code 1 if it is not 2xx",
    positionals: [ID],
    flags: {},
    examples: ["webhook test 1"],
    run: async (context, { positionals }) => {
      const deps = await context.deps();
      const { row, eventId, attempt } = await testWebhook(deps, orderOf(positionals));
      if (attempt.error !== null) context.exitWith(1);
      return { webhook_id: row.id, url: row.url, event_id: eventId, ...outcomeShape(attempt) };
    },
  }),
];

const DELIVERIES = [
  command({
    words: ["webhook", "deliveries"],
    summary: "Lists deliveries of events, newest first",
    flags: {
      state: optional(kind.choice(DELIVERY_STATES), {
        help: "only those in this state",
        example: "dead",
      }),
      webhook: optional(kind.recordId, { help: "only to this webhook", example: "1" }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
        help: "how many at most",
        example: "50",
        fallback: LISTED,
      }),
    },
    examples: ["webhook deliveries --state dead"],
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
    run: async (context, { flags: { state, webhook, limit } }) => {
      const { db } = await context.deps();
      const rows = await listDeliveries(db, { state, endpointId: webhook, limit: limit + 1 });
      if (rows.length > limit) context.note(`Showing the newest ${limit}; --limit shows more`);
      return rows.slice(0, limit).map(deliveryShape);
    },
  }),
  command({
    words: ["webhook", "attempts"],
    summary: "Shows the attempts to deliver an event and their results, for 30 days",
    positionals: [EVENT_ID],
    flags: {},
    examples: ["webhook attempts evt_3q2-7w"],
    columns: ["webhook_id", "at", "delivered", "status", "latency_ms", "error", "response"],
    run: async (context, { positionals }) => {
      const { db } = await context.deps();
      const event = await db.find(Events, [first(positionals)], "eventId");
      if (!event) throw new OperatorError(`There is no event ${positionals[0]}`);
      return (await attemptsOf(db, { eventId: event.id, limit: LISTED })).map(attemptShape);
    },
  }),
  command({
    words: ["webhook", "redeliver"],
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
      const order = { accountId, actor: ACTOR };
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

export const WEBHOOK_COMMANDS = [...MANAGEMENT, ...DELIVERIES];

function orderOf(positionals: readonly string[]) {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a webhook id`);
  return { id, actor: ACTOR };
}

function noteDoubts(context: Context, { blockedBy, twins }: AddedWebhook): void {
  if (blockedBy !== undefined) {
    context.note(
      `Nothing will be sent there (${blockedBy}), unless the server runs with ` +
        "CPG_WEBHOOK_ALLOW_PRIVATE=true: here it is not set",
    );
  }
  for (const { id } of twins) {
    context.note(
      `Webhook ${id} sends there too: shared events will be delivered twice, until ` +
        `"webhook remove ${id}"`,
    );
  }
}
