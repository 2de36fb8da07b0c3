import type { Bytes } from "../base/bytes.ts";
import type { Taken } from "../base/waiting/token_bucket.ts";
import type { ApiKeyRow } from "../store/tables/rows.ts";

/** What is known of a request so far; the middleware fills it in. */
export interface RequestState {
  readonly requestId: string;
  /** Path and query as they came on the wire. */
  readonly target: string;
  readonly ip: string;
  readonly startedAtMs: number;
  /** As metrics tell it: the pattern, never what a stranger wrote. */
  route: string;
  body: Bytes;
  key?: ApiKeyRow;
  signature?: string;
  timestampS?: number;
  limit?: { perMinute: number; taken: Taken };
}

export type HttpEnv = { Bindings: { state: RequestState } };

const NO_QUERY = new URLSearchParams();

/** Only read: one serves all requests without any. */
export type Query = Pick<URLSearchParams, "get">;

export function queryOf(target: string): Query {
  const mark = target.indexOf("?");
  // With its mark, of which the parser takes off exactly one: "??a=1" has a field named "?a".
  return mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark));
}
