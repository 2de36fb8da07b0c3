import type { DeliveryState } from "../domain/webhook_schedule.ts";
import type { Db, SqlValue } from "./db.ts";
import {
  type WebhookAttemptRow,
  WebhookAttempts,
  type WebhookEndpointRow,
  WebhookEndpoints,
} from "./webhook_tables.ts";

/** Where several conditions meet no index serves all: so many rows are looked through for a page. */
const REACH = 20_000;
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

/** The last delivery that was shown; older ones follow. */
export interface DeliveryCursor {
  readonly eventId: number;
  readonly endpointId: number;
}

export interface DeliveryQuery {
  /** Null: of all accounts. */
  readonly accountId: number | null;
  /** One that belongs to the account, if there is one. */
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
}

export interface DeliveryPage {
  readonly rows: DeliveryListed[];
  /** Null at the end. */
  readonly next: DeliveryCursor | null;
}

const NEWEST: DeliveryCursor = {
  eventId: Number.MAX_SAFE_INTEGER,
  endpointId: Number.MAX_SAFE_INTEGER,
};

/** Newest first. */
export async function deliveryPage(db: Db, query: DeliveryQuery): Promise<DeliveryPage> {
  const cursor = query.cursor ?? NEWEST;
  const floor = await floorOf(db, { ...query, cursor });
  const { from, fromArgs = [], position, conditions } = walkOf({ ...query, cursor });
  const given = query.state === null ? [] : [query.state];
  const found = await db.query(
    `SELECT d.event_id, d.endpoint_id, e.account_id, e.type, d.state, d.attempts,
  d.next_try_at_ms, e.created_at_ms
FROM ${from}
WHERE d.event_id = e.id ${conditions.map(([sql]) => sql).join(" ")}
  ${query.state === null ? "" : conditionOf(query.state)}
  AND ${position} >= ? AND ${position} <= ? AND (${position} < ? OR d.endpoint_id < ?)
ORDER BY ${position} DESC, d.endpoint_id DESC
LIMIT ?`,
    [
      ...fromArgs,
      ...conditions.map(([, value]) => value),
      ...given,
      floor,
      cursor.eventId,
      cursor.eventId,
      cursor.endpointId,
      query.limit + 1,
    ],
  );
  const rows = found.slice(0, query.limit).map(listed);
  if (found.length > query.limit) return { rows, next: rows.at(-1)! };
  return { rows, next: floor > 1 ? { eventId: floor, endpointId: 0 } : null };
}

/** What was not delivered has indexes of its own, and they are used where that is said. */
function conditionOf(state: DeliveryState): string {
  return state === "delivered" ? "AND d.state = ?" : "AND d.state <> 'delivered' AND d.state = ?";
}

interface Walk {
  readonly from: string;
  readonly fromArgs?: readonly SqlValue[];
  /** The event's id, as the index has it that the rows are read in the order of. */
  readonly position: string;
  readonly conditions: readonly (readonly [sql: string, value: SqlValue])[];
}

type Walked = DeliveryQuery & { readonly cursor: DeliveryCursor };

function walkOf(query: Walked): Walk {
  const { endpointId, accountId, state } = query;
  const isUnsettled = state !== null && state !== "delivered";
  const position = "d.event_id";
  const deliveries = (index: string) =>
    `webhook_deliveries AS d INDEXED BY webhook_deliveries_${index} CROSS JOIN events AS e`;
  if (endpointId !== null) {
    const conditions = [["AND d.endpoint_id = ?", endpointId]] as const;
    const from = deliveries(isUnsettled ? "unsettled_endpoint" : "endpoint");
    return { from, position, conditions };
  }
  if (accountId !== null && isUnsettled) return unsettledOf(accountId, query);
  if (accountId !== null) {
    const from = "events AS e INDEXED BY events_account CROSS JOIN webhook_deliveries AS d";
    return { from, position: "e.id", conditions: [["AND e.account_id = ?", accountId]] };
  }
  if (isUnsettled) return { from: deliveries("unsettled"), position, conditions: [] };
  const from = "webhook_deliveries AS d CROSS JOIN events AS e";
  return { from, position, conditions: [] };
}

/** Of each of the account's webhooks as many as are shown, and of these the newest. */
function unsettledOf(accountId: number, { state, cursor, limit }: Walked): Walk {
  const from = `webhook_endpoints AS w
CROSS JOIN json_each((
  SELECT json_group_array(event_id)
  FROM (
    SELECT event_id
    FROM webhook_deliveries INDEXED BY webhook_deliveries_unsettled_endpoint
    WHERE endpoint_id = w.id AND state <> 'delivered' AND state = ? AND event_id <= ?
    ORDER BY event_id DESC
    LIMIT ?
  )
)) AS k
CROSS JOIN webhook_deliveries AS d
CROSS JOIN events AS e`;
  return {
    from,
    // One more than is shown tells of a next page, and one may have been shown before.
    fromArgs: [state, cursor.eventId, limit + 2],
    position: "d.event_id",
    conditions: [[
      "AND d.event_id = k.value AND d.endpoint_id = w.id AND w.account_id = ?",
      accountId,
    ]],
  };
}

/** How far back a page looks; 0 where every row that is looked at is also shown. */
async function floorOf(
  db: Db,
  { endpointId, accountId, state, cursor }: DeliveryQuery & { cursor: DeliveryCursor },
): Promise<number> {
  if (state !== null && state !== "delivered") return 0;
  const asked = endpointId !== null && state !== null
    ? { table: "webhook_deliveries", column: "event_id", owner: "endpoint_id", value: endpointId }
    : endpointId === null && accountId !== null
    ? { table: "events", column: "id", owner: "account_id", value: accountId }
    : undefined;
  if (!asked) return 0;
  const { table, column, owner, value } = asked;
  const [row] = await db.query(
    `SELECT ${column} AS floor FROM ${table}
WHERE ${owner} = ? AND ${column} <= ?
ORDER BY ${column} DESC
LIMIT 1 OFFSET ?`,
    [value, cursor.eventId, REACH],
  );
  return Number(row?.floor ?? 0);
}

function listed(row: Record<string, SqlValue>): DeliveryListed {
  return {
    eventId: Number(row.event_id),
    endpointId: Number(row.endpoint_id),
    accountId: Number(row.account_id),
    type: String(row.type),
    state: row.state as DeliveryState,
    attempts: Number(row.attempts),
    nextTryAtMs: Number(row.next_try_at_ms),
    createdAtMs: Number(row.created_at_ms),
  };
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
