import { z } from "zod";
import { meant } from "../../base/misspelt.ts";
import { EVENT_TYPES, type EventType } from "../rules/events.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";
import { text } from "../../http/body_schema.ts";
import * as wire from "../../domain/wire.ts";

const URL_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 64;

const Url = text({ min: 1, max: URL_CHARS_MAX }).meta({
  description: "An https URL on the public internet. It must respond with 2xx within ten seconds.",
});

const EventType = z.enum(EVENT_TYPES).meta({ id: "EventType" });

const EventTypes = z.unknown().transform((value, context) => {
  const fault = faultOf(value);
  if (fault === undefined) return [...new Set(value as EventType[])];
  context.addIssue({ code: "custom", message: fault });
  return z.NEVER;
}).meta({ type: "array", items: { $ref: "#/components/schemas/EventType" }, minItems: 1 });

function faultOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return "Must be a list of event types";
  const wrong = value.find((one) => !EVENT_TYPES.some((type) => type === one));
  if (wrong === undefined) return undefined;
  const isShort = typeof wrong === "string" && wrong.length <= NAME_CHARS_MAX;
  return `Must only name ${EVENT_TYPES.join(", ")}${isShort ? meant(wrong, EVENT_TYPES) : ""}`;
}

export const NewWebhook = z.object({
  url: Url,
  events: EventTypes.optional().meta({ description: "By default all, including future types." }),
});

export const WebhookChange = z.object({
  url: Url.optional(),
  events: EventTypes.optional(),
  active: z.boolean("Must be true or false").optional().meta({
    description: "Events wait while it is false. True also ends a pause, and resumes after a 410.",
  }),
});

export const Webhook = z.object({
  webhook_id: wire.Id,
  url: z.string(),
  events: z.array(EventType),
  active: z.boolean().meta({ description: "While it is false, events wait." }),
  disabled_reason: z.string().nullable().meta({ description: "Why it isn't active." }),
  failures: z.int().min(0).meta({ description: "Failed attempts since the last success." }),
  paused_until: wire.Time.nullable().meta({
    description: "Set after many failures in a row: until then, nothing is sent.",
  }),
  old_secret_until: wire.Time.nullable().meta({
    description: "Until then, events are also signed with the previous secret.",
  }),
  created_at: wire.Time,
}).meta({ id: "Webhook" });

export const WebhookWithSecret = Webhook.extend({
  secret: z.string().meta({ description: "Events are signed with it. It isn't shown again." }),
}).meta({ id: "WebhookWithSecret" });

export const WebhookTest = z.object({
  webhook_id: wire.Id,
  url: z.string(),
  event_id: z.string(),
  delivered: z.boolean(),
  status: z.int().nullable().meta({
    description: "The HTTP status; null if there was no response.",
  }),
  latency_ms: z.int().min(0),
  error: z.string().nullable().meta({ description: "Why it doesn't count as delivered." }),
}).meta({ id: "WebhookTest" });

export const WEBHOOK_EXAMPLE: z.input<typeof Webhook> = {
  webhook_id: 3,
  url: "https://shop.example.com/cpg",
  events: ["deposit.confirmed", "invoice.paid", "withdrawal.failed"],
  active: true,
  disabled_reason: null,
  failures: 0,
  paused_until: null,
  old_secret_until: null,
  created_at: "2026-01-31T12:00:00+00:00",
};

export function webhookEntry(row: WebhookEndpointRow): z.input<typeof Webhook> {
  return {
    webhook_id: row.id,
    url: row.url,
    events: [...row.eventTypes ?? EVENT_TYPES],
    active: row.disabledAtMs === null,
    disabled_reason: row.disabledReason,
    failures: row.failures,
    paused_until: row.pausedUntilMs === 0 ? null : isoUtc(row.pausedUntilMs),
    old_secret_until: isoUtcOrNull(row.oldSecretUntilMs),
    created_at: isoUtc(row.createdAtMs),
  };
}
