import type { EventType } from "../rules/events.ts";
import type { DeliveryState } from "../rules/webhook_schedule.ts";
import { defineTable, int, json, type RowOf, text } from "../../store/tables/table.ts";

/** Binds a sealed secret to its row. */
export function webhookSecretContext(secretName: string): string {
  return `webhook_endpoints.secret:${secretName}`;
}

export const WebhookEndpoints = defineTable("webhook_endpoints", {
  columns: {
    id: int(),
    accountId: int(),
    url: text(),
    /** Null: all of them. */
    eventTypes: json<readonly EventType[]>().orNull(),
    /** The name that the sealed secrets are bound to. */
    secretName: text(),
    secretSealed: text(),
    oldSecretSealed: text().orNull(),
    oldSecretUntilMs: int().orNull(),
    leaseOwner: text().orNull(),
    leaseUntilMs: int(),
    /** Failed attempts since the last success. */
    failures: int(),
    pausedUntilMs: int(),
    /** The first of these failures; null if it was before this was noted. */
    failingSinceMs: int().orNull(),
    /** The event of the last failed attempt. */
    failedEventId: int().orNull(),
    disabledAtMs: int().orNull(),
    disabledReason: text().orNull(),
    createdAtMs: int(),
  },
  primary: ["id"],
  encrypted: {
    secretSealed: ({ secretName }) => webhookSecretContext(secretName),
    oldSecretSealed: ({ secretName }) => webhookSecretContext(secretName),
  },
  unique: { secret: ["secretName"] },
  isSerial: true,
  sealedExcept: [
    "leaseOwner",
    "leaseUntilMs",
    "failures",
    "pausedUntilMs",
    "failingSinceMs",
    "failedEventId",
    "disabledAtMs",
    "disabledReason",
  ],
});
export type WebhookEndpointRow = RowOf<typeof WebhookEndpoints>;

/** One event for one endpoint; a trigger creates it when the event is written. */
export const WebhookDeliveries = defineTable("webhook_deliveries", {
  columns: {
    eventId: int(),
    endpointId: int(),
    state: text<DeliveryState>(),
    attempts: int(),
    nextTryAtMs: int(),
    settledAtMs: int().orNull(),
  },
  primary: ["eventId", "endpointId"],
});
export type WebhookDeliveryRow = RowOf<typeof WebhookDeliveries>;

export const WebhookAttempts = defineTable("webhook_attempts", {
  columns: {
    id: int(),
    eventId: int(),
    endpointId: int(),
    atMs: int(),
    latencyMs: int(),
    /** Null if no answer came. */
    status: int().orNull(),
    error: text().orNull(),
    /** The beginning of the answer's body. */
    response: text().orNull(),
  },
  primary: ["id"],
  isSerial: true,
});
export type WebhookAttemptRow = RowOf<typeof WebhookAttempts>;
