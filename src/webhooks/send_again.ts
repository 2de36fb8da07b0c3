import { refuse } from "../domain/refusals/refuse.ts";
import { Events } from "./tables/events.ts";
import { WebhookDeliveries, WebhookEndpoints } from "./tables/webhooks.ts";
import { read, type View } from "../store/engine/workspace.ts";
import type { Attempt } from "./post/send.ts";
import { recordAudit } from "../books/records.ts";
import { takeTest } from "./_allowance.ts";
import { findWebhook, type WebhookOrder } from "./manage_webhooks.ts";
import { recordAttempts } from "./record_attempts.ts";
import { countAgain } from "./redeliver.ts";
import { openSigningKeys, sendSigned } from "./signing.ts";
import type { Deps } from "../deps/deps.ts";

/** Longer than an attempt takes, so that the worker doesn't send it at the same time. */
const ATTEMPT_MS = 15_000;

/**
 * Sends an event to one webhook now, even if the webhook is paused or switched off, and returns its
 * answer. Like any attempt, it is recorded, and repeated if it fails.
 */
export async function sendEventAgain(
  deps: Deps,
  { eventId, ...order }: WebhookOrder & { readonly eventId: number },
): Promise<Attempt> {
  const endpoint = await findWebhook(deps, order);
  await takeTest(deps, order.accountId);
  const event = await startOver(deps, { eventId, order });
  const keys = await openSigningKeys(deps, endpoint);
  const { url, accountId: owner, id: endpointId } = endpoint;
  const { eventId: publicId, type } = event;
  const atMs = deps.clock.nowMs();
  const body = JSON.stringify(event.payload);
  const attempt = await sendSigned(deps, { url, owner, keys, id: publicId, body });
  const report = { eventId, publicId, type, endpointId, atMs, attempt };
  await recordAttempts(deps, { endpointId, reports: [report] });
  return attempt;
}

/** If the program ends before the answer, the worker sends it. */
async function startOver(
  deps: Deps,
  { eventId, order }: { eventId: number; order: WebhookOrder },
) {
  const { id: endpointId, actor } = order;
  return await deps.db.write({
    reads: [
      read(Events, [eventId]),
      read(WebhookEndpoints, [endpointId]),
      read(WebhookDeliveries, [eventId, endpointId]),
    ],
    decide: (view) => {
      const { event, delivery } = deliveryOf(view, { eventId, endpointId });
      const nowMs = deps.clock.nowMs();
      recordAudit(view, {
        actor,
        action: "webhook.redelivered",
        subject: `event:${event.eventId}`,
        detail: { deliveries: 1, webhook: endpointId },
        nowMs,
      });
      const fresh = { state: "pending", attempts: 0, settledAtMs: null } as const;
      view.update(WebhookDeliveries, delivery, { ...fresh, nextTryAtMs: nowMs + ATTEMPT_MS });
      if (order.accountId !== undefined) countAgain(view, event);
      return event;
    },
  });
}

/** An event that somebody else wrote, or that was written for another account, is never sent. */
function deliveryOf(
  view: View,
  { eventId, endpointId }: { eventId: number; endpointId: number },
) {
  const event = view.find(Events, [eventId]);
  const endpoint = view.find(WebhookEndpoints, [endpointId]);
  const delivery = view.find(WebhookDeliveries, [eventId, endpointId]);
  if (!event || !delivery || endpoint?.accountId !== event.accountId) {
    throw refuse("event_unknown", { eventId: String(eventId) });
  }
  return { event, delivery };
}
