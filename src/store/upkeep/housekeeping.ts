import { last } from "../../base/lists.ts";
import type { Db } from "../engine/db.ts";

/** Once their timestamps alone are refused, signatures needn't be kept. */
/** Answers are repeated, and copies refused, for this long. */
export async function deleteExpiredSignatures(db: Db, beforeMs: number): Promise<void> {
  await db.execute([
    { sql: "DELETE FROM used_signatures WHERE expires_at_ms < ?", args: [beforeMs] },
    { sql: "DELETE FROM repeated_requests WHERE created_at_ms < ?", args: [beforeMs] },
  ]);
}

interface Old {
  readonly beforeMs: number;
  readonly limit: number;
}

/** Rows are inserted in order of time, so the oldest have the lowest ids. */
const oldest = (table: string, time: string) =>
  `DELETE FROM ${table}
WHERE id IN (
  SELECT id
  FROM (SELECT id, ${time} FROM ${table} ORDER BY id LIMIT ?)
  WHERE ${time} < ?)`;

/** Attempts; notices that nobody gets any more; what meters knew before any window. */
const OLD_ROWS: readonly string[] = [
  oldest("webhook_attempts", "at_ms"),
  oldest("notices", "created_at_ms"),
  oldest("policy_marks", "at_ms"),
];

export async function deleteOldRows(db: Db, { beforeMs, limit }: Old): Promise<void> {
  await db.execute(OLD_ROWS.map((sql) => ({ sql, args: [limit, beforeMs] })));
}

const OLDEST_EVENTS = `SELECT id, created_at_ms, EXISTS (
  SELECT 1 FROM webhook_deliveries AS d WHERE d.event_id = e.id AND d.state <> 'delivered'
) AS is_owed
FROM events AS e
WHERE id > ?
ORDER BY id
LIMIT ?`;

/**
 * Looks at some events after this one. Deletes the old ones, with their deliveries, for which no
 * delivery is waiting or was given up. Returns where to continue; undefined at the end.
 */
export async function deleteSettledEvents(
  db: Db,
  { afterId, beforeMs, limit }: Old & { readonly afterId: number },
): Promise<number | undefined> {
  const rows = await db.query(OLDEST_EVENTS, [afterId, limit]);
  const old = rows.filter(({ created_at_ms: atMs }) => Number(atMs) < beforeMs);
  const ids = old.filter(({ is_owed: isOwed }) => isOwed === 0).map(({ id }) => Number(id));
  if (ids.length > 0) await deleteEvents(db, ids);
  return old.length === 0 || rows.length < limit ? undefined : Number(last(rows).id);
}

async function deleteEvents(db: Db, ids: readonly number[]): Promise<void> {
  const args = [JSON.stringify(ids)];
  const settled = `SELECT value
FROM json_each(?)
WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d
  WHERE d.event_id = value AND d.state <> 'delivered')`;
  await db.execute([
    // Makes a concurrent decision to redeliver one of them start over.
    { sql: "UPDATE write_clock SET epoch = epoch + 1 WHERE id = 1" },
    { sql: `DELETE FROM webhook_deliveries WHERE event_id IN (${settled})`, args },
    { sql: `DELETE FROM events WHERE id IN (${settled})`, args },
  ]);
}

const HOUR_KEY = "account_id, span, starts_at_ms, network, currency, direction";

export const OLD_HOURS = `DELETE FROM volumes
WHERE (${HOUR_KEY}) IN (
  SELECT ${HOUR_KEY}
  FROM volumes
  WHERE span = 'hour' AND starts_at_ms < ?
  ORDER BY starts_at_ms
  LIMIT ?)`;

/** Hours that no chart shows any more. */
export async function deleteOldHours(
  db: Db,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<void> {
  await db.execute([
    // Makes a concurrent summing start over.
    { sql: "UPDATE write_clock SET epoch = epoch + 1 WHERE id = 1" },
    { sql: OLD_HOURS, args: [beforeMs, limit] },
  ]);
}

/** What nodes answered on days that no month shows any more. */
export async function deleteOldCalls(db: Db, beforeMs: number): Promise<void> {
  await db.execute([
    // Makes a concurrent count start over.
    { sql: "UPDATE write_clock SET epoch = epoch + 1 WHERE id = 1" },
    { sql: "DELETE FROM node_calls WHERE day_ms < ?", args: [beforeMs] },
  ]);
}

/** Expired sessions and limits on guesses. */
export async function deleteExpiredSignIns(db: Db, nowMs: number): Promise<void> {
  await db.execute(
    ["sessions", "throttles"].map((table) => ({
      sql: `DELETE FROM ${table} WHERE ends_at_ms < ?`,
      args: [nowMs],
    })),
  );
}

export const OLD_REQUESTS: readonly string[] = [
  oldest("request_log", "at_ms"),
  `DELETE FROM request_counts
WHERE (account_id, hour_ms, key_id, route) IN (
  SELECT account_id, hour_ms, key_id, route
  FROM request_counts INDEXED BY request_counts_hour
  ORDER BY hour_ms
  LIMIT ?)
AND hour_ms < ?`,
  `DELETE FROM request_log_days
WHERE (account_id, day_ms) IN (
  SELECT account_id, day_ms
  FROM request_log_days INDEXED BY request_log_days_day
  ORDER BY day_ms
  LIMIT ?)
AND day_ms < ?`,
  `DELETE FROM request_log_hours
WHERE hour_ms IN (
  SELECT hour_ms
  FROM request_log_hours
  WHERE hour_ms > 0
  ORDER BY hour_ms
  LIMIT ?)
AND hour_ms < ?`,
];

/** Rejected requests, and the numbers of all, that no page shows any more. */
export async function deleteOldRequests(
  db: Db,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<void> {
  await db.execute(OLD_REQUESTS.map((sql) => ({ sql, args: [limit, beforeMs] })));
}
