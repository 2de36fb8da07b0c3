import type { RequestLogRow } from "../../../src/request_log/table.ts";
import { NOW_MS } from "./make_rows.ts";

export function makeRejected(given: Partial<RequestLogRow> & { id: number }): RequestLogRow {
  return {
    accountId: 1,
    atMs: NOW_MS,
    keyId: "k1",
    code: "invalid_signature",
    method: "GET",
    path: "/v1/_ping",
    status: 401,
    reason: "bad_signature",
    ip: "::1",
    requestId: "r1",
    query: "",
    message: "Invalid signature",
    skewS: null,
    canonical: null,
    body: null,
    bodyBytes: 0,
    ...given,
  };
}
