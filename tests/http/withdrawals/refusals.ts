import assert from "node:assert/strict";
import type { ApiReply } from "../../support/api_client.ts";

/** Status and words of each code, from the spec's section 7 and the contract's sections 1 to 3. */
const REFUSALS = {
  missing_authentication: [401, "Missing authentication headers"],
  invalid_signature: [401, "Invalid signature"],
  timestamp_out_of_window: [401, "Timestamp outside the allowed window"],
  replayed_request: [401, "Request already processed"],
  ip_not_allowed: [403, "Source IP not allowed"],
  permission_denied: [403, undefined],
  rate_limited: [429, "Rate limit exceeded"],
  validation_failed: [422, undefined],
  body_too_large: [413, "Request body too large"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  network_not_found: [404, "Network not found"],
  currency_not_found: [404, "Currency not found"],
  deposits_disabled: [403, "Deposits for this currency are not enabled for this account"],
  withdrawals_disabled: [403, "Withdrawals for this currency are not enabled for this account"],
  invalid_address: [400, "The address format is invalid for this network"],
  amount_below_minimum: [400, "Withdrawal amount is below the minimum allowed"],
  insufficient_balance: [400, "Insufficient available balance for this withdrawal"],
  hot_wallet_missing: [502, "No hot wallet configured for this network"],
  hot_wallet_not_allocated: [
    404,
    "Hot wallet has not been allocated for this network. Enable at least one currency first.",
  ],
  broadcast_rejected: [502, "Failed to broadcast withdrawal transaction"],
  internal_error: [500, "Internal error"],
  invalid_host: [400, "Invalid Host header"],
} as const satisfies Record<string, readonly [number, string | undefined]>;

export type RefusalCode = keyof typeof REFUSALS;

/** The numbers behind a refusal, for the codes that have some. */
const DETAILS: Readonly<Partial<Record<RefusalCode, string>>> = {
  amount_below_minimum: "amount,minimum,network,currency",
  insufficient_balance: "amount,fee,total,available,network,currency",
};
const NOT_AN_OBJECT = "Request body must be a JSON object";

/** The whole error body of the contract's section 2, and nothing else except a 502's row. */
export function assertRefused(
  { status, body, headers }: ApiReply,
  code: RefusalCode,
  message: string | undefined = REFUSALS[code][1],
): void {
  assert.equal(status, REFUSALS[code][0], JSON.stringify(body));
  const reported = code === "invalid_host" ? "validation_failed" : code;
  assert.equal(body.error?.code, reported, JSON.stringify(body));
  if (message !== undefined) assert.equal(body.message, message);
  assert.equal(body.success, false);
  assert.equal(headers.get("content-type"), "application/json");
  assert.match(body.error.request_id, /^\S{8,}$/);
  assert.equal(headers.get("x-request-id"), body.error.request_id);
  const expected = message === NOT_AN_OBJECT ? "position,line,column" : DETAILS[code];
  const { details } = body.error;
  assert.equal(details && Object.keys(details).join(), expected, JSON.stringify(body));
  const errorKeys = Object.keys(body.error)
    .filter((key) => key !== "details" && (status !== 422 || key !== "fields"));
  assert.deepEqual(errorKeys.sort(), ["code", "request_id"]);
  const keys = Object.keys(body).filter((key) => status !== 502 || key !== "data");
  assert.deepEqual(keys.sort(), ["error", "message", "success"]);
}

/** The law's message is about the form of an address. If the form is right, the details say why not. */
export function assertUnpayable(reply: ApiReply, reason: RegExp): void {
  const { details, ...error } = reply.body.error;
  assert.match(details?.reason, reason, JSON.stringify(reply.body));
  assert.deepEqual(Object.keys(details), ["reason"]);
  assertRefused({ ...reply, body: { ...reply.body, error } }, "invalid_address");
}

/** 422 with exactly these fields at fault, each of them named in the message. */
export function assertInvalid(reply: ApiReply, fields: readonly string[]): void {
  assertRefused(reply, "validation_failed");
  const { message, error } = reply.body;
  const named = error.fields.map(({ field }: { field: string }) => field);
  assert.deepEqual([...new Set(named)].sort(), fields.toSorted());
  for (const field of fields) assert.ok(message.includes(field), `"${message}" names ${field}`);
  for (const fault of error.fields) {
    assert.deepEqual(Object.keys(fault).sort(), ["field", "message"]);
    assert.ok(fault.message.length > 0);
  }
}

export function assertNotAnObject(reply: ApiReply): void {
  assertRefused(reply, "validation_failed", NOT_AN_OBJECT);
}
