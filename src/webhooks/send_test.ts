import { randomToken } from "../base/bytes.ts";
import type { EventType } from "./rules/events.ts";
import { sampleData } from "./rules/sample_events.ts";
import { isoUtc } from "../domain/time.ts";
import type { WebhookEndpointRow } from "./tables/webhooks.ts";
import type { Attempt } from "./post/send.ts";
import { recordAudit } from "../books/records.ts";
import { takeTest } from "./_allowance.ts";
import { openSigningKeys, sendSigned, webhookSubject } from "./signing.ts";
import type { Deps } from "../deps/deps.ts";
import { findWebhook, type WebhookOrder } from "./manage_webhooks.ts";

export interface Tested {
  readonly row: WebhookEndpointRow;
  readonly eventId: string;
  readonly attempt: Attempt;
}

/** Sends a signed `ping`. */
export async function testWebhook(deps: Deps, order: WebhookOrder): Promise<Tested> {
  return await sendNow(deps, {
    order,
    action: "webhook.tested",
    type: "ping",
    idPrefix: "evt_",
    rest: { data: { webhook_id: order.id } },
  });
}

/** Shows what an event of this type looks like. Its ids and `sample` say that it is no money. */
export async function triggerSample(
  deps: Deps,
  { type, ...order }: WebhookOrder & { readonly type: EventType },
): Promise<Tested> {
  const data = sampleData(type, deps.clock.nowMs());
  return await sendNow(deps, {
    order,
    action: "webhook.triggered",
    type,
    idPrefix: "evt_sample_",
    rest: { data, sample: true },
  });
}

interface Sending {
  readonly order: WebhookOrder;
  readonly action: "webhook.tested" | "webhook.triggered";
  readonly type: string;
  readonly idPrefix: string;
  readonly rest: object;
}

/** At once, whatever is waiting. It is no event, so it is neither stored nor repeated. */
async function sendNow(
  deps: Deps,
  { order, action, type, idPrefix, rest }: Sending,
): Promise<Tested> {
  const row = await findWebhook(deps, order);
  await takeTest(deps, order.accountId);
  const id = `${idPrefix}${randomToken(18)}`;
  const nowMs = deps.clock.nowMs();
  const body = JSON.stringify({ id, type, timestamp: isoUtc(nowMs), ...rest });
  const keys = await openSigningKeys(deps, row);
  const { actor } = order;
  const detail = type === "ping" ? { event: id } : { event: id, type };
  await deps.db.write({
    reads: [],
    decide: (view) =>
      recordAudit(view, { actor, action, ...webhookSubject(row.id), detail, nowMs }),
  });
  const { url, accountId: owner } = row;
  return { row, eventId: id, attempt: await sendSigned(deps, { url, owner, keys, id, body }) };
}
