import type { Db } from "../store/engine/db.ts";
import { RequestLog, type RequestLogRow } from "./table.ts";
import { type Condition, orderOf, type Turned } from "../store/lists/order.ts";

export interface RequestCursor {
  readonly atMs: number;
  readonly id: number;
}

export interface RequestFilter {
  readonly accountId: number;
  /** From then on, before `untilMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly keyId: string | null;
  readonly code: string | null;
  /** A part of it. */
  readonly path: string | null;
}

interface RequestsAsked extends RequestFilter, Turned {
  readonly cursor: RequestCursor | null;
  readonly limit: number;
}

/**
 * Rejected requests. An account has few thousand of them at most, and one index holds
 * everything that is filtered by.
 */
export async function rejectedRequests(
  db: Db,
  { cursor, limit, isOldestFirst, ...filter }: RequestsAsked,
): Promise<RequestLogRow[]> {
  const { sql: order, beyond } = orderOf({ isOldestFirst });
  const conditions = conditionsOf(filter);
  if (cursor) conditions.push([`(at_ms, id) ${beyond} (?, ?)`, cursor.atMs, cursor.id]);
  const rows = await db.rows(
    RequestLog,
    `WHERE id IN (
  SELECT id
  FROM request_log INDEXED BY request_log_listed
  WHERE ${conditions.map(([sql]) => sql).join(" AND ")}
  ORDER BY at_ms ${order}, id ${order}
  LIMIT ?)`,
    [...conditions.flatMap(([, ...values]) => values), limit],
  );
  const sorted = rows.toSorted((a, b) => a.atMs - b.atMs || a.id - b.id);
  return isOldestFirst ? sorted : sorted.reverse();
}

function conditionsOf(
  { accountId, fromMs, untilMs, keyId, code, path }: RequestFilter,
): Condition[] {
  return [
    ["account_id = ? AND at_ms >= ? AND at_ms < ?", accountId, fromMs, untilMs],
    ...keyId === null ? [] : [["key_id = ?", keyId] as const],
    ...code === null ? [] : [["code = ?", code] as const],
    ...path === null ? [] : [["instr(path, ?) > 0", path] as const],
  ];
}

export interface RequestTotals {
  readonly keyId: string;
  readonly route: string;
  readonly succeeded: number;
  readonly rejected: number;
}

const TOTALS = `SELECT key_id, route, sum(succeeded) AS succeeded, sum(rejected) AS rejected
FROM request_counts
WHERE account_id = ? AND hour_ms >= ? AND hour_ms < ?
GROUP BY key_id, route`;

/** By key and endpoint, in whole hours. */
export async function requestTotals(
  db: Db,
  { accountId, fromMs, untilMs }: Pick<RequestFilter, "accountId" | "fromMs" | "untilMs">,
): Promise<RequestTotals[]> {
  const rows = await db.query(TOTALS, [accountId, fromMs, untilMs]);
  return rows.map((row) => ({
    keyId: String(row.key_id),
    route: String(row.route),
    succeeded: Number(row.succeeded),
    rejected: Number(row.rejected),
  }));
}
