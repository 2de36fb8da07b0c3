import type { Db } from "../../engine/db.ts";
import { WebhookAttempts, WebhookEndpoints } from "../../tables/webhooks.ts";
import type { WebhookAttemptRow, WebhookEndpointRow } from "../../tables/webhooks.ts";
import type { DeliveryCursor } from "./deliveries.ts";

const ATTEMPTS_MAX = 100;

/** Newest first. `accountId` null: of all accounts. */
export function endpointPage(
  db: Db,
  { accountId, cursor, limit }: { accountId: number | null; cursor: number | null; limit: number },
): Promise<WebhookEndpointRow[]> {
  const top = cursor ?? Number.MAX_SAFE_INTEGER;
  return accountId === null
    ? db.rows(WebhookEndpoints, "WHERE id < ? ORDER BY id DESC LIMIT ?", [top, limit])
    : db.rows(WebhookEndpoints, "WHERE account_id = ? AND id < ? ORDER BY id DESC LIMIT ?", [
      accountId,
      top,
      limit,
    ]);
}

/** Newest first. */
export function attemptsOfDelivery(
  db: Db,
  { eventId, endpointId }: DeliveryCursor,
): Promise<WebhookAttemptRow[]> {
  return db.rows(
    WebhookAttempts,
    "WHERE event_id = ? AND endpoint_id = ? ORDER BY id DESC LIMIT ?",
    [eventId, endpointId, ATTEMPTS_MAX],
  );
}
