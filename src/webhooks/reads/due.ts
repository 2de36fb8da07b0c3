import { orNull } from "../../store/connection/connection.ts";
import { type Db, queryOne } from "../../store/engine/db.ts";
import { type EventRow, Events } from "../tables/events.ts";
import { columnList, rowsFromJson } from "../../store/tables/table.ts";
import { WebhookEndpoints } from "../tables/webhooks.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";

export function webhookEndpoints(
  db: Db,
  accountId: number | undefined,
): Promise<WebhookEndpointRow[]> {
  return accountId === undefined
    ? db.rows(WebhookEndpoints, "ORDER BY id")
    : db.rows(WebhookEndpoints, "WHERE account_id = ? ORDER BY id", [accountId]);
}

/** Of all accounts, those whose last attempt failed. */
export function failingEndpoints(
  db: Db,
  { limit }: { limit: number },
): Promise<WebhookEndpointRow[]> {
  return db.rows(
    WebhookEndpoints,
    `INDEXED BY webhook_endpoints_failing
WHERE failures > 0
ORDER BY account_id, id
LIMIT ?`,
    [limit],
  );
}

const DUE_ENDPOINTS = `WITH RECURSIVE waiting (id) AS (
  SELECT min(endpoint_id)
  FROM webhook_deliveries INDEXED BY webhook_deliveries_due
  WHERE state = 'pending'
  UNION ALL
  SELECT (SELECT min(d.endpoint_id)
    FROM webhook_deliveries AS d INDEXED BY webhook_deliveries_due
    WHERE d.state = 'pending' AND d.endpoint_id > k.id)
  FROM waiting AS k
  WHERE k.id IS NOT NULL
)
SELECT e.id
FROM waiting AS k
CROSS JOIN webhook_endpoints AS e
WHERE e.id = k.id AND e.disabled_at_ms IS NULL AND e.paused_until_ms <= ?
  AND (SELECT min(d.next_try_at_ms) FROM webhook_deliveries AS d INDEXED BY webhook_deliveries_due
    WHERE d.state = 'pending' AND d.endpoint_id = e.id) <= ?`;

/** Steps from endpoint to endpoint with something pending, so the cost doesn't grow with the backlog. */
export async function dueEndpointIds(db: Db, nowMs: number): Promise<number[]> {
  const rows = await db.query(
    DUE_ENDPOINTS,
    [nowMs, nowMs],
  );
  return rows.map(({ id }) => Number(id));
}

const DUE_DELIVERIES = `SELECT json_group_array(json_array(${columnList(Events)})) AS rows
FROM (
  SELECT e.*
  FROM webhook_deliveries AS d INDEXED BY webhook_deliveries_due
  CROSS JOIN events AS e
  WHERE d.state = 'pending' AND d.endpoint_id = ? AND d.next_try_at_ms <= ?
    AND d.event_id NOT IN (SELECT value FROM json_each(?))
    AND e.id = d.event_id
  ORDER BY d.next_try_at_ms, d.event_id
  LIMIT ?
)`;

/** In the order they are due, as one text: separate rows would cost more than everything else. */
export async function dueDeliveries(
  db: Db,
  due: { endpointId: number; nowMs: number; exceptEventIds: readonly number[]; limit: number },
): Promise<EventRow[]> {
  const row = await queryOne(
    db,
    DUE_DELIVERIES,
    [due.endpointId, due.nowMs, JSON.stringify(due.exceptEventIds), due.limit],
  );
  return rowsFromJson(Events, row.rows);
}

/** How many deliveries wait, and since when the oldest does. */
export async function webhookBacklog(
  db: Db,
): Promise<{ pending: number; oldestAtMs: number | null }> {
  const row = await queryOne(
    db,
    `SELECT
  (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending') AS pending,
  (SELECT created_at_ms FROM events
    WHERE id = (SELECT min(event_id) FROM webhook_deliveries WHERE state = 'pending')) AS oldest`,
  );
  return {
    pending: Number(row.pending),
    oldestAtMs: orNull(row.oldest, Number),
  };
}
