import { orNull, type SqlRow } from "../../store/connection/connection.ts";
import type { Db } from "../../store/engine/db.ts";
import { type DeliveryState, deliveryState } from "../rules/webhook_schedule.ts";
import { type EventRow, Events } from "../tables/events.ts";
import { WebhookAttempts } from "../tables/webhooks.ts";
import type { WebhookAttemptRow } from "../tables/webhooks.ts";

export interface ListedDelivery {
  /** Its place in the order of events. */
  readonly place: number;
  readonly eventId: string;
  readonly type: string;
  readonly accountId: number;
  readonly endpointId: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextTryAtMs: number;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

const LISTED =
  `SELECT d.event_id AS place, e.event_id, e.type, e.account_id, d.endpoint_id, d.state, d.attempts,
  d.next_try_at_ms, e.created_at_ms, d.settled_at_ms,
  (SELECT a.status FROM webhook_attempts AS a
    WHERE a.event_id = d.event_id AND a.endpoint_id = d.endpoint_id
    ORDER BY a.id DESC LIMIT 1) AS last_status,
  (SELECT a.error FROM webhook_attempts AS a
    WHERE a.event_id = d.event_id AND a.endpoint_id = d.endpoint_id
    ORDER BY a.id DESC LIMIT 1) AS last_error
FROM webhook_deliveries AS d
CROSS JOIN events AS e
WHERE e.id = d.event_id`;

/** An account's, newest first. */
export function eventPage(
  db: Db,
  { accountId, cursor, limit }: { accountId: number; cursor: number | null; limit: number },
): Promise<EventRow[]> {
  const top = cursor ?? Number.MAX_SAFE_INTEGER;
  return db.rows(Events, "WHERE account_id = ? AND id < ? ORDER BY id DESC LIMIT ?", [
    accountId,
    top,
    limit,
  ]);
}

/** To each webhook, in their order. */
export async function deliveriesOf(
  db: Db,
  { eventId, limit }: { eventId: number; limit: number },
): Promise<ListedDelivery[]> {
  const rows = await db.query(
    `${LISTED} AND d.event_id = ? ORDER BY d.endpoint_id LIMIT ?`,
    [eventId, limit],
  );
  return rows.map(listedOf);
}

/** Newest first. */
export async function listDeliveries(
  db: Db,
  { state, endpointId, limit }: {
    state: DeliveryState | undefined;
    endpointId: number | undefined;
    limit: number;
  },
): Promise<ListedDelivery[]> {
  const given: [sql: string, value: string | number][] = [];
  if (state !== undefined) given.push(["AND d.state = ?", state]);
  if (endpointId !== undefined) given.push(["AND d.endpoint_id = ?", endpointId]);
  const rows = await db.query(
    `${LISTED} ${given.map(([sql]) => sql).join(" ")}
ORDER BY d.event_id DESC, d.endpoint_id DESC
LIMIT ?`,
    [...given.map(([, value]) => value), limit],
  );
  return rows.map(listedOf);
}

function listedOf(row: SqlRow): ListedDelivery {
  return {
    place: Number(row.place),
    eventId: String(row.event_id),
    type: String(row.type),
    accountId: Number(row.account_id),
    endpointId: Number(row.endpoint_id),
    state: deliveryState(row.state),
    attempts: Number(row.attempts),
    nextTryAtMs: Number(row.next_try_at_ms),
    createdAtMs: Number(row.created_at_ms),
    settledAtMs: orNull(row.settled_at_ms, Number),
    lastStatus: orNull(row.last_status, Number),
    lastError: orNull(row.last_error, String),
  };
}

/** Oldest first. */
export function attemptsOf(
  db: Db,
  { eventId, limit }: { eventId: number; limit: number },
): Promise<WebhookAttemptRow[]> {
  return db.rows(
    WebhookAttempts,
    "WHERE event_id = ? ORDER BY endpoint_id, id LIMIT ?",
    [eventId, limit],
  );
}

export interface EventOfTime {
  readonly id: number;
  readonly accountId: number;
  readonly type: string;
  readonly createdAtMs: number;
}

/** In order, after a given event, for `redeliver` to page through. */
export async function eventsBetween(
  db: Db,
  { accountId, after, toMs, limit }: {
    accountId: number | undefined;
    after: Pick<EventOfTime, "id" | "createdAtMs">;
    toMs: number;
    limit: number;
  },
): Promise<EventOfTime[]> {
  const ofAccount = accountId === undefined ? "" : "AND account_id = ?";
  const from = after.createdAtMs;
  const rows = await db.query(
    `SELECT id, account_id, type, created_at_ms
FROM events INDEXED BY events_created
WHERE created_at_ms >= ? AND created_at_ms <= ? AND (created_at_ms > ? OR id > ?) ${ofAccount}
ORDER BY created_at_ms, id
LIMIT ?`,
    [from, toMs, from, after.id, ...accountId === undefined ? [] : [accountId], limit],
  );
  return rows.map(eventOf);
}

function eventOf(row: SqlRow): EventOfTime {
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    type: String(row.type),
    createdAtMs: Number(row.created_at_ms),
  };
}

/** Up to `limit` deliveries that were given up. */
export async function deadDeliveries(
  db: Db,
  { accountId, limit }: { accountId: number | undefined; limit: number },
): Promise<{ eventId: number; endpointId: number }[]> {
  const rows = accountId === undefined
    ? await db.query(
      `SELECT event_id, endpoint_id
FROM webhook_deliveries INDEXED BY webhook_deliveries_state
WHERE state = 'dead'
ORDER BY event_id
LIMIT ?`,
      [limit],
    )
    : await db.query(
      `SELECT d.event_id, d.endpoint_id
FROM webhook_endpoints AS e
CROSS JOIN webhook_deliveries AS d INDEXED BY webhook_deliveries_endpoint_state
WHERE e.account_id = ? AND d.endpoint_id = e.id AND d.state = 'dead'
LIMIT ?`,
      [accountId, limit],
    );
  return rows.map((row) => ({
    eventId: Number(row.event_id),
    endpointId: Number(row.endpoint_id),
  }));
}
