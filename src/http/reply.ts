import type { Context } from "hono";
import { utf8 } from "../base/bytes.ts";
import { inParts } from "../base/net/streamed.ts";
import { TooBusy } from "../base/waiting/turns.ts";
import { Refused } from "../domain/refusal.ts";
import { BUSY_RETRY_S } from "../domain/shares.ts";
import { Unavailable } from "../store/connection/faults.ts";
import { answerOf } from "./error_table.ts";
import type { Replay } from "./replay_header.ts";
import type { HttpEnv, RequestState } from "./request_state.ts";

const RETRY_UNAVAILABLE_S = 2;
const JSON_TYPE = { "content-type": "application/json" };

export function ok(c: Context<HttpEnv>, data: object, message = "OK"): Response {
  return respond(c.env.state, { success: true, message, data });
}

export function okReplay(c: Context<HttpEnv>, data: object, replay: Replay): Response {
  const body = { success: true, message: "OK", data };
  return respond(c.env.state, body, { headers: { "x-cpg-replay": replay } });
}

/** A list with its number of rows, and whatever else the endpoint says about the page. */
export function okList(c: Context<HttpEnv>, data: readonly object[], page: object = {}): Response {
  const body = { success: true, message: "OK", data, data_count: data.length, ...page };
  return respond(c.env.state, body);
}

/** The same of rows that are written already. `onEnd` is called when the client has taken it. */
export function okRows(
  { env: { state }, req }: Context<HttpEnv>,
  { texts, count, page }: { texts: readonly string[]; count: number; page: object },
  onEnd: () => void,
): Response {
  const headers = headersWith(state, JSON_TYPE);
  // A body that isn't asked for is neither read nor given up.
  if (req.raw.method === "HEAD") {
    onEnd();
    return new Response(null, { headers });
  }
  const rest = JSON.stringify({ data_count: count, ...page }).slice(1);
  const body = `{"success":true,"message":"OK","data":[${texts.join(",")}],${rest}`;
  return inParts(utf8(body), { headers }, onEnd);
}

/** A whole answer that is written already. */
export function replyWith(
  state: RequestState,
  { status, text, headers }: {
    readonly status: number;
    readonly text: string;
    readonly headers: Record<string, string>;
  },
): Response {
  return new Response(text, { status, headers: headersWith(state, { ...JSON_TYPE, ...headers }) });
}

export function errorReply(state: RequestState, error: unknown): Response {
  const { status, code, message } = answerOf(error);
  const detail = error instanceof Refused ? error.detail : {};
  const fields = status === 422 ? { fields: detail.fields ?? [] } : {};
  const details = detail.details ? { details: detail.details } : {};
  const body = {
    success: false,
    message,
    error: { code, request_id: state.requestId, ...fields, ...details },
    ...(detail.data === undefined ? {} : { data: detail.data }),
  };
  const headers: Record<string, string> = {};
  const retryAfterS = detail.retryAfterS ??
    (error instanceof Unavailable ? RETRY_UNAVAILABLE_S : undefined) ??
    (error instanceof TooBusy ? BUSY_RETRY_S : undefined);
  if (retryAfterS !== undefined) headers["retry-after"] = String(retryAfterS);
  if (error instanceof Refused && error.detail.allow) headers.allow = error.detail.allow;
  return respond(state, body, { status, headers });
}

/** Appended one by one: a Response created with several headers costs six times as much. */
function respond(
  state: RequestState,
  body: object,
  { status = 200, headers: more = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const response = new Response(JSON.stringify(body), { status, headers: JSON_TYPE });
  const { headers } = response;
  appendCommon(headers, state);
  for (const [name, value] of Object.entries(more)) headers.append(name, value);
  return response;
}

/** What every answer has, for one that isn't JSON. */
export function headersWith(state: RequestState, more: Record<string, string>): Headers {
  const headers = new Headers(more);
  appendCommon(headers, state);
  return headers;
}

/** To another of our paths. */
export function redirectTo(state: RequestState, path: string, status: 302 | 308): Response {
  return new Response(null, { status, headers: headersWith(state, { location: path }) });
}

function appendCommon(headers: Headers, state: RequestState): void {
  headers.append("cache-control", "no-store");
  headers.append("x-content-type-options", "nosniff");
  headers.append("x-request-id", state.requestId);
  if (state.limit) appendLimit(headers, state.limit);
}

/** IETF draft httpapi-ratelimit-headers. */
function appendLimit(
  headers: Headers,
  { perMinute, taken }: NonNullable<RequestState["limit"]>,
): void {
  headers.append("ratelimit-policy", `"default";q=${perMinute};w=60`);
  headers.append("ratelimit", `"default";r=${taken.remaining};t=${taken.fullInS}`);
}
