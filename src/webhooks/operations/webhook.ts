import { WebhookEndpoints } from "../tables/webhooks.ts";
import { ownerOfId } from "../../operations/owners.ts";
import { first } from "../../base/lists.ts";
import { findAccount } from "../../books/find.ts";
import { type AddedWebhook, addWebhook } from "../add.ts";
import { enableWebhook, removeWebhook, rotateWebhookSecret } from "../manage_webhooks.ts";
import { type Tested, testWebhook, triggerSample } from "../send_test.ts";
import { EVENT_TYPES } from "../rules/events.ts";
import { webhookEndpoints } from "../reads/due.ts";
import {
  type Asking,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import * as kind from "../../domain/kinds.ts";
import { outcomeShape, webhookShape } from "../shapes.ts";

const ID = { name: "ID", help: "the webhook's id, as webhook list shows it" };
const KEEP_SECRET = "Save the secret now: it won't be shown again.";

const ADD_WEBHOOK = operation({
  words: ["webhook", "add"],
  changes: "manage_webhooks",
  summary: "Sends an account's events to a URL; shows the secret, only this once",
  flags: {
    account: required(kind.recordId, { help: "whose events", example: "1" }),
    url: required(kind.text({ max: 2000 }), {
      help: "an https URL; in a demo, or with CPG_WEBHOOK_ALLOW_PRIVATE=true, also http",
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
      actor: context.actor,
    });
    context.note(KEEP_SECRET);
    noteDoubts(context, added);
    const { webhook_id, ...rest } = webhookShape(added.row);
    return { webhook_id, secret: added.secret, ...rest };
  },
});

const LIST_WEBHOOKS = operation({
  words: ["webhook", "list"],
  reads: "see",
  summary: "Lists webhooks, without their secrets",
  flags: { account: optional(kind.recordId, { help: "only this account's", example: "1" }) },
  examples: ["webhook list --account 1"],
  columns: ["webhook_id", "account_id", "url", "events", "enabled", "failures", "paused_until"],
  run: async (context, { flags }) => {
    const deps = await context.deps();
    if (flags.account !== undefined) await findAccount(deps, flags.account);
    return (await webhookEndpoints(deps.db, flags.account)).map(webhookShape);
  },
});

export const REMOVE_WEBHOOK = operation({
  words: ["webhook", "remove"],
  changes: "manage_webhooks",
  of: ownerOfId(WebhookEndpoints),
  isUrgent: true,
  summary: "Removes a webhook and drops the events that wait for it",
  positionals: [ID],
  flags: {},
  examples: ["webhook remove 1"],
  run: async (context, { positionals }) =>
    webhookShape(await removeWebhook(await context.deps(), orderOf(context, positionals))),
});

export const ROTATE_WEBHOOK = operation({
  words: ["webhook", "rotate"],
  changes: "manage_webhooks",
  of: ownerOfId(WebhookEndpoints),
  summary: "Gives a webhook a new secret; the old one also signs for another 24 hours",
  positionals: [ID],
  flags: {},
  examples: ["webhook rotate 1"],
  run: async (context, { positionals }) => {
    const { row, secret } = await rotateWebhookSecret(
      await context.deps(),
      orderOf(context, positionals),
    );
    context.note(KEEP_SECRET);
    const { webhook_id, ...rest } = webhookShape(row);
    return { webhook_id, secret, ...rest };
  },
});

export const ENABLE_WEBHOOK = operation({
  words: ["webhook", "enable"],
  changes: "manage_webhooks",
  of: ownerOfId(WebhookEndpoints),
  summary: "Enables a webhook that answered 410 or is paused; waiting events are sent now",
  positionals: [ID],
  flags: {},
  examples: ["webhook enable 1"],
  run: async (context, { positionals }) =>
    webhookShape(await enableWebhook(await context.deps(), orderOf(context, positionals))),
});

export const TEST_WEBHOOK = operation({
  words: ["webhook", "test"],
  changes: "manage_webhooks",
  of: ownerOfId(WebhookEndpoints),
  summary: "Sends a signed ping now and shows the answer; exit code 1 if it is not 2xx",
  positionals: [ID],
  flags: {},
  examples: ["webhook test 1"],
  run: async (context, { positionals }) => {
    const tested = await testWebhook(await context.deps(), orderOf(context, positionals));
    return outcomeOf(context, tested);
  },
});

export const TRIGGER_WEBHOOK = operation({
  words: ["webhook", "trigger"],
  changes: "manage_webhooks",
  of: ownerOfId(WebhookEndpoints),
  summary: "Sends a sample event now and shows the answer; exit code 1 if it is not 2xx",
  positionals: [ID],
  flags: {
    type: required(kind.choice(EVENT_TYPES), {
      help: "of which event, whichever the webhook receives",
      example: "deposit.confirmed",
    }),
  },
  examples: ["webhook trigger 1 --type deposit.confirmed"],
  run: async (context, { positionals, flags: { type } }) => {
    const order = { ...orderOf(context, positionals), type };
    return outcomeOf(context, await triggerSample(await context.deps(), order));
  },
});

export const WEBHOOK_COMMANDS = [
  ADD_WEBHOOK,
  LIST_WEBHOOKS,
  REMOVE_WEBHOOK,
  ROTATE_WEBHOOK,
  ENABLE_WEBHOOK,
  TEST_WEBHOOK,
  TRIGGER_WEBHOOK,
];

function outcomeOf(context: Asking, { row, eventId, attempt }: Tested) {
  if (attempt.error !== null) context.exitWith(1);
  return { webhook_id: row.id, url: row.url, event_id: eventId, ...outcomeShape(attempt) };
}

function orderOf(context: Asking, positionals: readonly string[]) {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a webhook id`);
  return { id, actor: context.actor };
}

function noteDoubts(context: Asking, { blockedBy, twins }: AddedWebhook): void {
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
