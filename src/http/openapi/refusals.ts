import type { RefusalCode } from "../../domain/refusal.ts";
import { type ErrorAnswer, INTERNAL, refusalAnswer } from "../error_table.ts";
import type { Endpoint } from "../endpoint.ts";

const ALWAYS: readonly RefusalCode[] = [
  "invalid_host",
  "missing_authentication",
  "invalid_signature",
  "timestamp_out_of_window",
  "ip_not_allowed",
  "permission_denied",
  "rate_limited",
  "unavailable",
];

/** A body is read before anything else is known about a request; GETs have none. */
const WRITES: readonly RefusalCode[] = [
  "body_incomplete",
  "body_too_large",
  "body_too_slow",
  "body_not_object",
  "validation_failed",
  "replayed_request",
  "account_suspended",
  "quota_exceeded",
];

/** Everything that an endpoint may answer instead of what was asked, by status. */
export function refusalsOf({ method, refusals }: Endpoint): Map<number, ErrorAnswer[]> {
  const codes = new Set([...ALWAYS, ...method === "GET" ? [] : WRITES, ...refusals]);
  const answers = [...[...codes].map(refusalAnswer), INTERNAL];
  return Map.groupBy(answers.toSorted((a, b) => a.status - b.status), ({ status }) => status);
}
