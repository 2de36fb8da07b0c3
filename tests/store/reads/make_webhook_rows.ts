import type {
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookEndpointRow,
} from "../../../src/webhooks/tables/webhooks.ts";
import { NOW_MS } from "./make_rows.ts";

export function makeEndpoint(
  given: Partial<WebhookEndpointRow> & { id: number },
): WebhookEndpointRow {
  return {
    accountId: 1,
    url: "https://shop.example.com/",
    eventTypes: null,
    secretName: `name-${given.id}`,
    secretSealed: "v1.sealed",
    oldSecretSealed: null,
    oldSecretUntilMs: null,
    leaseOwner: null,
    leaseUntilMs: 0,
    failures: 0,
    pausedUntilMs: 0,
    disabledAtMs: null,
    disabledReason: null,
    failingSinceMs: null,
    failedEventId: null,
    createdAtMs: NOW_MS,
    ...given,
  };
}

export function makeDelivery(given: Partial<WebhookDeliveryRow>): WebhookDeliveryRow {
  return {
    eventId: 1,
    endpointId: 1,
    state: "pending",
    attempts: 0,
    nextTryAtMs: NOW_MS,
    settledAtMs: null,
    ...given,
  };
}

export function makeAttempt(given: Partial<WebhookAttemptRow> & { id: number }): WebhookAttemptRow {
  return {
    eventId: 1,
    endpointId: 1,
    atMs: NOW_MS,
    latencyMs: 5,
    status: 200,
    error: null,
    response: "ok",
    ...given,
  };
}
