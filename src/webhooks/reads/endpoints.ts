import type { Db } from "../../store/engine/db.ts";
import { WebhookAttempts, WebhookEndpoints } from "../tables/webhooks.ts";
import type { WebhookAttemptRow, WebhookEndpointRow } from "../tables/webhooks.ts";
import { idsBeyond, type Paged } from "../../store/lists/order.ts";
import type { DeliveryCursor } from "./deliveries.ts";

const ATTEMPTS_MAX = 100;

/** `accountId` null: of all accounts. */
export function endpointPage(
  db: Db,
  { accountId, ...paged }: Paged & { accountId: number | null },
): Promise<WebhookEndpointRow[]> {
  const { sql, args } = idsBeyond(paged);
  return accountId === null
    ? db.rows(WebhookEndpoints, `WHERE ${sql}`, args)
    : db.rows(WebhookEndpoints, `WHERE account_id = ? AND ${sql}`, [accountId, ...args]);
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
