import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** Stands for requests that belong to no account. */
export const NOBODY = 0;

/** Rejected requests of the last days. */
export const RequestLog = defineTable("request_log", {
  columns: {
    id: int(),
    accountId: int(),
    atMs: int(),
    keyId: text(),
    /** The answer's error code. */
    code: text(),
    method: text(),
    path: text(),
    status: int(),
    /** More than the sender was answered. */
    reason: text(),
    ip: text(),
    requestId: text(),
    query: text(),
    message: text(),
    /** How far the sender's clock was ahead of ours, if that was the reason. */
    skewS: int().orNull(),
    /** What the signature should have covered, if it was wrong. */
    canonical: text().orNull(),
    /** Its beginning, without secrets; null if it isn't text. */
    body: text().orNull(),
    bodyBytes: int(),
  },
  primary: ["id"],
  isSerial: true,
});
export type RequestLogRow = RowOf<typeof RequestLog>;

/** Requests by hour, key and endpoint. */
export const RequestCounts = defineTable("request_counts", {
  columns: {
    accountId: int(),
    hourMs: int(),
    keyId: text(),
    route: text(),
    succeeded: int(),
    rejected: int(),
  },
  primary: ["accountId", "hourMs", "keyId", "route"],
});
export type RequestCountRow = RowOf<typeof RequestCounts>;

/** How many rows of the request log are of a day. Account 0: all of them together. */
export const RequestLogDays = defineTable("request_log_days", {
  columns: {
    accountId: int(),
    dayMs: int(),
    kept: int(),
    /** Of these, without a proof that the key's owner sent them. */
    unproven: int(),
  },
  primary: ["accountId", "dayMs"],
});
export type RequestLogDayRow = RowOf<typeof RequestLogDays>;

/** How many bytes of the request log are of an hour, whoever sent them. */
export const RequestLogHours = defineTable("request_log_hours", {
  columns: {
    hourMs: int(),
    kept: int(),
    unproven: int(),
  },
  primary: ["hourMs"],
});

export const REQUEST_TABLES = [RequestLog, RequestCounts, RequestLogDays, RequestLogHours];
