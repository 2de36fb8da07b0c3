import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import { EVENT_TYPES } from "./rules/events.ts";
import type { ListedDelivery } from "./reads/events.ts";
import type { WebhookAttemptRow, WebhookEndpointRow } from "./tables/webhooks.ts";
import type { Attempt } from "./post/send.ts";

export function webhookShape(row: WebhookEndpointRow) {
  return {
    webhook_id: row.id,
    account_id: row.accountId,
    url: row.url,
    events: row.eventTypes ?? EVENT_TYPES,
    enabled: row.disabledAtMs === null,
    disabled_reason: row.disabledReason,
    failures: row.failures,
    paused_until: row.pausedUntilMs === 0 ? null : isoUtc(row.pausedUntilMs),
    old_secret_until: isoUtcOrNull(row.oldSecretUntilMs),
    created_at: isoUtc(row.createdAtMs),
  };
}

export function deliveryShape(row: ListedDelivery) {
  return {
    event_id: row.eventId,
    type: row.type,
    webhook_id: row.endpointId,
    account_id: row.accountId,
    state: row.state,
    attempts: row.attempts,
    next_try_at: row.state === "pending" ? isoUtc(row.nextTryAtMs) : null,
    last_status: row.lastStatus,
    last_error: row.lastError,
    created_at: isoUtc(row.createdAtMs),
    settled_at: isoUtcOrNull(row.settledAtMs),
  };
}

export function attemptShape(row: WebhookAttemptRow) {
  return { webhook_id: row.endpointId, at: isoUtc(row.atMs), ...outcomeShape(row) };
}

export function outcomeShape({ status, latencyMs, error, response }: Omit<Attempt, "retryAfter">) {
  return { delivered: error === null, status, latency_ms: latencyMs, error, response };
}
