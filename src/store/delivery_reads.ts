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
  const { from, position, conditions } = walkOf(query);
  const given = query.state === null ? [] : [query.state];
  const found = await db.query(
    `SELECT d.event_id, d.endpoint_id, e.account_id, e.type, d.state, d.attempts,
  d.next_try_at_ms, e.created_at_ms
FROM ${from}
WHERE d.event_id = e.id ${conditions.map(([sql]) => sql).join(" ")}
  ${given.length === 0 ? "" : "AND d.state = ?"}
  AND ${position} >= ? AND ${position} <= ? AND (${position} < ? OR d.endpoint_id < ?)
ORDER BY ${position} DESC, d.endpoint_id DESC
LIMIT ?`,
    [
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

interface Walk {
  readonly from: string;
  /** The event's id, as the index has it that the rows are read in the order of. */
  readonly position: string;
  readonly conditions: readonly (readonly [sql: string, value: SqlValue])[];
}

function walkOf({ endpointId, accountId, state }: DeliveryQuery): Walk {
  const position = "d.event_id";
  const deliveries = (index: string) =>
    `webhook_deliveries AS d INDEXED BY webhook_deliveries_${index} CROSS JOIN events AS e`;
  if (endpointId !== null) {
    const conditions = [["AND d.endpoint_id = ?", endpointId]] as const;
    return { from: deliveries("endpoint"), position, conditions };
  }
  if (accountId !== null) {
    const from = "events AS e INDEXED BY events_account CROSS JOIN webhook_deliveries AS d";
    return { from, position: "e.id", conditions: [["AND e.account_id = ?", accountId]] };
  }
  if (state !== null) return { from: deliveries("state"), position, conditions: [] };
  const from = "webhook_deliveries AS d CROSS JOIN events AS e";
  return { from, position, conditions: [] };
}

/** How far back a page looks; 0 where every row that is looked at is also shown. */
async function floorOf(
  db: Db,
  { endpointId, accountId, state, cursor }: DeliveryQuery & { cursor: DeliveryCursor },
): Promise<number> {
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
