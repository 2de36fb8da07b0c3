import { randomToken } from "../base/bytes.ts";
import { isoUtc } from "../domain/time.ts";
import type { WebhookEndpointRow } from "../store/webhook_tables.ts";
import type { Attempt } from "../webhooks/send.ts";
import { openSigningKeys, sendSigned } from "./webhook_signing.ts";
import type { Deps } from "./deps.ts";
import { findWebhook, type WebhookOrder } from "./manage_webhooks.ts";

/** Sends a signed `ping` at once, whatever waits. It is no event: it is neither kept nor repeated. */
export async function testWebhook(
  deps: Deps,
  order: Pick<WebhookOrder, "id" | "accountId">,
): Promise<{ row: WebhookEndpointRow; eventId: string; attempt: Attempt }> {
  const row = await findWebhook(deps, order);
  const id = `evt_${randomToken(18)}`;
  const timestamp = isoUtc(deps.clock.nowMs());
  const body = JSON.stringify({ id, type: "ping", timestamp, data: { webhook_id: row.id } });
  const keys = await openSigningKeys(deps, row);
  return { row, eventId: id, attempt: await sendSigned(deps, { url: row.url, keys, id, body }) };
}
