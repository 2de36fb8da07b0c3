import type { EventType } from "../../domain/events.ts";
import type { DeliveryState } from "../../domain/webhook_schedule.ts";
import { defineTable } from "./table.ts";

export interface WebhookEndpointRow {
  readonly id: number;
  readonly accountId: number;
  readonly url: string;
  /** Null: all of them. */
  readonly eventTypes: readonly EventType[] | null;
  /** What the sealed secrets are bound to. */
  readonly secretName: string;
  readonly secretSealed: string;
  readonly oldSecretSealed: string | null;
  readonly oldSecretUntilMs: number | null;
  readonly leaseOwner: string | null;
  readonly leaseUntilMs: number;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  readonly pausedUntilMs: number;
  readonly disabledAtMs: number | null;
  readonly disabledReason: string | null;
  readonly createdAtMs: number;
}

/** One event for one endpoint; the database makes it when the event is written. */
export interface WebhookDeliveryRow {
  readonly eventId: number;
  readonly endpointId: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextTryAtMs: number;
  readonly settledAtMs: number | null;
}

export interface WebhookAttemptRow {
  readonly id: number;
  readonly eventId: number;
  readonly endpointId: number;
  readonly atMs: number;
  readonly latencyMs: number;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string | null;
}

/** Binds a sealed secret to its row. */
export function webhookSecretContext(secretName: string): string {
  return `webhook_endpoints.secret:${secretName}`;
}

export const WebhookEndpoints = defineTable<WebhookEndpointRow>("webhook_endpoints", {
  columns: {
    id: "int",
    accountId: "int",
    url: "text",
    eventTypes: "json",
    secretName: "text",
    secretSealed: "text",
    oldSecretSealed: "text",
    oldSecretUntilMs: "int",
    leaseOwner: "text",
    leaseUntilMs: "int",
    failures: "int",
    pausedUntilMs: "int",
    disabledAtMs: "int",
    disabledReason: "text",
    createdAtMs: "int",
  },
  primary: ["id"],
  sealed: {
    secretSealed: ({ secretName }) => webhookSecretContext(secretName),
    oldSecretSealed: ({ secretName }) => webhookSecretContext(secretName),
  },
  unique: { secret: ["secretName"] },
  isSerial: true,
  unguarded: [
    "leaseOwner",
    "leaseUntilMs",
    "failures",
    "pausedUntilMs",
    "disabledAtMs",
    "disabledReason",
  ],
});

export const WebhookDeliveries = defineTable<WebhookDeliveryRow>("webhook_deliveries", {
  columns: {
    eventId: "int",
    endpointId: "int",
    state: "text",
    attempts: "int",
    nextTryAtMs: "int",
    settledAtMs: "int",
  },
  primary: ["eventId", "endpointId"],
});

export const WebhookAttempts = defineTable<WebhookAttemptRow>("webhook_attempts", {
  columns: {
    id: "int",
    eventId: "int",
    endpointId: "int",
    atMs: "int",
    latencyMs: "int",
    status: "int",
    error: "text",
    response: "text",
  },
  primary: ["id"],
  isSerial: true,
});
