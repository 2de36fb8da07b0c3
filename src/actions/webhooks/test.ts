import { randomToken } from "../../base/bytes.ts";
import { isoUtc } from "../../domain/time.ts";
import type { WebhookEndpointRow } from "../../store/tables/webhooks.ts";
import type { Attempt } from "../../webhooks/send.ts";
import { recordAudit } from "../books/records.ts";
import { openSigningKeys, sendSigned, webhookSubject } from "./signing.ts";
import type { Deps } from "../deps.ts";
import { findWebhook, type WebhookOrder } from "./manage_webhooks.ts";

/**
 * Sends a signed `ping` at once, whatever is waiting. It is no event, so it is neither stored nor
 * repeated.
 */
export async function testWebhook(
  deps: Deps,
  order: WebhookOrder,
): Promise<{ row: WebhookEndpointRow; eventId: string; attempt: Attempt }> {
  const row = await findWebhook(deps, order);
  const id = `evt_${randomToken(18)}`;
  const timestamp = isoUtc(deps.clock.nowMs());
  const body = JSON.stringify({ id, type: "ping", timestamp, data: { webhook_id: row.id } });
  const keys = await openSigningKeys(deps, row);
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [],
    decide: (view) =>
      recordAudit(view, {
        actor: order.actor,
        action: "webhook.tested",
        ...webhookSubject(row.id),
        detail: { event: id },
        nowMs,
      }),
  });
  const { url, accountId: owner } = row;
  return { row, eventId: id, attempt: await sendSigned(deps, { url, owner, keys, id, body }) };
}
