import { type EventType, isCausedByPayers } from "./rules/events.ts";
import { nextTryAtMs, pauseMs } from "./rules/webhook_schedule.ts";
import { WebhookAttempts, WebhookDeliveries, WebhookEndpoints } from "./tables/webhooks.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "./tables/webhooks.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import type { Attempt } from "./post/send.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import { HEALTHY } from "./manage_webhooks.ts";
import { webhookSubject } from "./signing.ts";
import type { Deps } from "../deps/deps.ts";

export interface AttemptReport {
  readonly eventId: number;
  /** The id that receivers and operators see. */
  readonly publicId: string;
  readonly type: EventType;
  readonly endpointId: number;
  readonly atMs: number;
  readonly attempt: Attempt;
}

export type AttemptResult = "delivered" | "failed" | "dead" | "disabled" | "gone";

interface Recorded {
  readonly result: AttemptResult;
  readonly alert: NewAlert | undefined;
  readonly endpoint: WebhookEndpointRow | undefined;
}

/**
 * Saves the results of attempts at one endpoint: log, delivery states and the endpoint's health in
 * one unit.
 */
export async function recordAttempts(
  deps: Deps,
  { endpointId, reports }: { endpointId: number; reports: readonly AttemptReport[] },
): Promise<Recorded[]> {
  const { subject } = webhookSubject(endpointId);
  const reads: Read[] = [
    read(WebhookEndpoints, [endpointId]),
    ...readAll(WebhookDeliveries, reports.map(({ eventId }) => [eventId, endpointId])),
  ];
  if (reports.some(({ attempt }) => attempt.error !== null)) {
    reads.push(alertRead("webhook_disabled", subject), alertRead("webhook_dead", subject));
  }
  const settlings = reports.map((report) => ({ report, chance: Math.random() }));
  const recorded = await deps.db.write({
    reads,
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      return settlings.map((settling) => settle(view, { ...settling, nowMs }));
    },
  });
  for (const { alert } of recorded) {
    if (alert) logAlert(deps, alert);
  }
  return recorded;
}

interface Settling {
  readonly report: AttemptReport;
  readonly chance: number;
  readonly nowMs: number;
}

function settle(view: View, settling: Settling): Recorded {
  const { eventId, type, endpointId, atMs, attempt } = settling.report;
  const delivery = view.find(WebhookDeliveries, [eventId, endpointId]);
  const endpoint = view.find(WebhookEndpoints, [endpointId]);
  if (!delivery || !endpoint) return { result: "gone", alert: undefined, endpoint: undefined };
  view.charge(endpoint.accountId);
  const { latencyMs, status, error, response } = attempt;
  const row = { eventId, endpointId, atMs, latencyMs, status, error, response };
  const inserted = view.insert(WebhookAttempts, row);
  if (isCausedByPayers(type)) view.countAs("none", inserted);
  if (error === null) return succeed(view, { delivery, endpoint, nowMs: settling.nowMs });
  return fail(view, { delivery, endpoint, settling });
}

function succeed(
  view: View,
  { delivery, endpoint, nowMs }: {
    delivery: WebhookDeliveryRow;
    endpoint: WebhookEndpointRow;
    nowMs: number;
  },
): Recorded {
  const attempts = delivery.attempts + 1;
  view.update(WebhookDeliveries, delivery, { state: "delivered", attempts, settledAtMs: nowMs });
  const healthy = endpoint.failures === 0 && endpoint.pausedUntilMs === 0
    ? endpoint
    : view.update(WebhookEndpoints, endpoint, HEALTHY);
  return { result: "delivered", alert: undefined, endpoint: healthy };
}

function fail(
  view: View,
  { delivery, endpoint, settling }: {
    delivery: WebhookDeliveryRow;
    endpoint: WebhookEndpointRow;
    settling: Settling;
  },
): Recorded {
  const { nowMs, chance, report: { attempt } } = settling;
  const attempts = delivery.attempts + 1;
  const { retryAfter } = attempt;
  const nextMs = nextTryAtMs({ attempts, atMs: nowMs, retryAfter, chance });
  const isGone = attempt.status === 410;
  const isDead = nextMs === undefined && !isGone;
  // Another attempt may have succeeded meanwhile, and a delivered event stays delivered.
  if (delivery.state === "pending") {
    const next = isDead
      ? { state: "dead" as const, settledAtMs: nowMs }
      : { nextTryAtMs: nextMs ?? nowMs };
    view.update(WebhookDeliveries, delivery, { attempts, ...next });
  }
  const failed = { endpoint, isGone, nowMs, eventId: delivery.eventId };
  const failing = { endpoint: noteFailure(view, failed), nowMs };
  if (isGone) {
    return raise(view, { ...failing, result: "disabled", alert: disabledAlert(endpoint) });
  }
  if (isDead) return raise(view, { ...failing, result: "dead", alert: deadAlert(endpoint) });
  return { result: "failed", alert: undefined, endpoint: failing.endpoint };
}

function noteFailure(
  view: View,
  { endpoint, isGone, nowMs, eventId }: {
    endpoint: WebhookEndpointRow;
    isGone: boolean;
    nowMs: number;
    eventId: number;
  },
): WebhookEndpointRow {
  const failures = endpoint.failures + 1;
  const wait = pauseMs(failures);
  const pausedUntilMs = wait === 0 ? endpoint.pausedUntilMs : nowMs + wait;
  const disabled = { disabledAtMs: nowMs, disabledReason: "it answered 410 Gone" };
  const failingSinceMs = endpoint.failures === 0 ? nowMs : endpoint.failingSinceMs;
  const health = { failures, pausedUntilMs, failingSinceMs, failedEventId: eventId };
  return view.update(WebhookEndpoints, endpoint, isGone ? { ...health, ...disabled } : health);
}

/** The alert is reported unless it is already open. */
function raise(
  view: View,
  { result, alert, endpoint, nowMs }: Recorded & { alert: NewAlert; nowMs: number },
): Recorded {
  const isNew = insertAlert(view, { ...alert, nowMs });
  return { result, alert: isNew ? alert : undefined, endpoint };
}

function disabledAlert({ id, url, accountId }: WebhookEndpointRow) {
  return {
    kind: "webhook_disabled",
    ...webhookSubject(id),
    accountId,
    message: `Webhook ${id} (${url}) answered 410 Gone and was switched off`,
    advice: { code: "enable_webhook", webhookId: id },
  } as const;
}

function deadAlert({ id, url, accountId }: WebhookEndpointRow) {
  return {
    kind: "webhook_dead",
    ...webhookSubject(id),
    accountId,
    message: `Webhook ${id} (${url}) did not take an event in any attempt`,
    advice: { code: "resend_dead_events", webhookId: id },
  } as const;
}
