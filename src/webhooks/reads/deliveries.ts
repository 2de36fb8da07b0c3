import { at } from "../../base/lists.ts";
import { type DeliveryState, deliveryState } from "../rules/webhook_schedule.ts";
import { type Order, orderOf, type Turned } from "../../store/lists/order.ts";
import type { Db, SqlValue } from "../../store/engine/db.ts";

/** SQLite allows at most 500 parts in one compound statement. */
const ENDPOINTS_AT_ONCE = 200;

/** The last delivery shown; others follow. */
export interface DeliveryCursor {
  readonly eventId: number;
  readonly endpointId: number;
}

export interface DeliveryQuery extends Turned {
  /** Null: of all accounts. */
  readonly accountId: number | null;
  /** Must belong to the account, if one is given. */
  readonly endpointId: number | null;
  readonly state: DeliveryState | null;
  readonly cursor: DeliveryCursor | null;
  readonly limit: number;
}

export interface DeliveryListed {
  readonly eventId: number;
  readonly endpointId: number;
  readonly accountId: number;
  readonly type: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextTryAtMs: number;
  readonly createdAtMs: number;
  readonly last: LastTry | null;
}

/** The newest attempt. */
export interface LastTry {
  /** Null if no answer came. */
  readonly status: number | null;
  /** Null if it was delivered. */
  readonly error: string | null;
}

export interface DeliveryPage {
  readonly rows: DeliveryListed[];
  /** Null at the end. */
  readonly next: DeliveryCursor | null;
}

type Found = Omit<DeliveryListed, "accountId" | "type" | "createdAtMs" | "last">;

interface Walked extends Pick<DeliveryQuery, "state" | "limit"> {
  readonly cursor: DeliveryCursor;
  readonly order: Order;
}

export async function deliveryPage(db: Db, query: DeliveryQuery): Promise<DeliveryPage> {
  const { accountId, endpointId, state, limit } = query;
  const order = orderOf(query);
  const start = { eventId: order.start, endpointId: order.start };
  const walked = { state, limit: limit + 1, cursor: query.cursor ?? start, order };
  const found = endpointId === null && accountId === null
    ? await deliveriesOfAll(db, walked)
    : await deliveriesTo(db, walked, await endpointIdsOf(db, { endpointId, accountId }));
  const rows = await withEvents(db, found.slice(0, limit));
  return { rows, next: found.length > limit ? at(found, limit - 1) : null };
}

const COLUMNS = "event_id, endpoint_id, state, attempts, next_try_at_ms";

async function deliveriesOfAll(db: Db, walked: Walked): Promise<Found[]> {
  const { state, cursor, limit, order: { sql, beyond } } = walked;
  const [index, ofState] = state === null
    ? ["", ""]
    : ["INDEXED BY webhook_deliveries_state", "state = ? AND"];
  const rows = await db.query(
    `SELECT ${COLUMNS}
FROM webhook_deliveries ${index}
WHERE ${ofState} event_id ${beyond}= ? AND (event_id ${beyond} ? OR endpoint_id ${beyond} ?)
ORDER BY event_id ${sql}, endpoint_id ${sql}
LIMIT ?`,
    [...state === null ? [] : [state], cursor.eventId, cursor.eventId, cursor.endpointId, limit],
  );
  return rows.map(foundOf);
}

/**
 * The next of each endpoint, which include the next overall. No account has more than a few
 * endpoints.
 */
async function deliveriesTo(
  db: Db,
  { state, cursor, limit, order: { sql, beyond } }: Walked,
  endpointIds: readonly number[],
): Promise<Found[]> {
  const [index, ofState] = state === null ? ["endpoint", ""] : ["endpoint_state", "AND state = ?"];
  const next = `SELECT * FROM (
  SELECT ${COLUMNS}
  FROM webhook_deliveries INDEXED BY webhook_deliveries_${index}
  WHERE endpoint_id = ? ${ofState} AND event_id ${beyond}= ?
  ORDER BY event_id ${sql}
  LIMIT ?)`;
  const [step, isBeyond] = beyond === "<"
    ? [1, (id: number) => id < cursor.endpointId]
    : [-1, (id: number) => id > cursor.endpointId];
  const found: Found[] = [];
  for (let from = 0; from < endpointIds.length; from += ENDPOINTS_AT_ONCE) {
    const some = endpointIds.slice(from, from + ENDPOINTS_AT_ONCE);
    const args = some.flatMap((endpointId) => {
      const edge = cursor.eventId - (isBeyond(endpointId) ? 0 : step);
      return [endpointId, ...state === null ? [] : [state], edge, limit];
    });
    const rows = await db.query(some.map(() => next).join(" UNION ALL "), args);
    found.push(...rows.map(foundOf));
  }
  return found
    .toSorted((a, b) => step * (b.eventId - a.eventId || b.endpointId - a.endpointId))
    .slice(0, limit);
}

async function endpointIdsOf(
  db: Db,
  { endpointId, accountId }: { endpointId: number | null; accountId: number | null },
): Promise<number[]> {
  if (endpointId !== null) return [endpointId];
  const rows = await db.query("SELECT id FROM webhook_endpoints WHERE account_id = ?", [accountId]);
  return rows.map(({ id }) => Number(id));
}

async function withEvents(db: Db, found: readonly Found[]): Promise<DeliveryListed[]> {
  const [rows, lastTries] = await Promise.all([
    db.query(
      `SELECT id, account_id, type, created_at_ms
FROM events
WHERE id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(found.map(({ eventId }) => eventId))],
    ),
    lastTriesOf(db, found),
  ]);
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  // Its event may have been pruned in between.
  return found.flatMap((delivery, i) => {
    const event = byId.get(delivery.eventId);
    return event
      ? [{
        ...delivery,
        accountId: Number(event.account_id),
        type: String(event.type),
        createdAtMs: Number(event.created_at_ms),
        last: lastTries[i] ?? null,
      }]
      : [];
  });
}

/** In the order of the deliveries. */
async function lastTriesOf(
  db: Db,
  found: readonly DeliveryCursor[],
): Promise<(LastTry | null)[]> {
  const keys = found.map(({ eventId, endpointId }) => [eventId, endpointId]);
  const rows = await db.query(
    `SELECT (
  SELECT json_array(a.status, a.error)
  FROM webhook_attempts AS a
  WHERE a.event_id = k.value ->> 0 AND a.endpoint_id = k.value ->> 1
  ORDER BY a.id DESC
  LIMIT 1) AS last
FROM json_each(?) AS k`,
    [JSON.stringify(keys)],
  );
  return rows.map(({ last }) => {
    if (typeof last !== "string") return null;
    const [status, error] = JSON.parse(last);
    return { status, error };
  });
}

function foundOf(row: Record<string, SqlValue>): Found {
  return {
    eventId: Number(row.event_id),
    endpointId: Number(row.endpoint_id),
    state: deliveryState(row.state),
    attempts: Number(row.attempts),
    nextTryAtMs: Number(row.next_try_at_ms),
  };
}
