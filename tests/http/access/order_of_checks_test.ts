import assert from "node:assert/strict";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { type SignedCall, signedHeaders } from "../../support/api_client.ts";
import type { Merchant } from "../../support/gateway.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";
import { rawRequest } from "../requests/raw_request.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway({ CPG_AUTH_FAILURES_PER_MINUTE: "100000" });
Deno.test.afterAll(() => gateway.stop());
const { clock } = gateway;

const TOO_LARGE = " ".repeat(64 * 1024 + 1);
const STALE = timestampOf(clock, { offsetS: -301 });
const BAD_SIGNATURE = { "X-CPG-Signature": "0".repeat(64) };
const TARGET = "/v1/withdrawals";

/** A key with everything wrong: used from another address and without permissions. */
function makeExcluded(options: Parameters<typeof makeClockedMerchant>[1] = {}): Promise<Merchant> {
  return makeClockedMerchant(gateway, { ipList: ["203.0.113.7"], permissions: [], ...options });
}

/** A key that has used up its minute. */
async function makeSpent(options: Parameters<typeof makeClockedMerchant>[1]): Promise<Merchant> {
  const merchant = await makeClockedMerchant(gateway, { rateLimit: 1, ...options });
  assert.equal((await merchant.api.get("/v1/_ping")).status, 200);
  return merchant;
}

Deno.test("contract 1: missing headers come first, even with a body over 64 KiB and an unknown path", async () => {
  const reply = await rawRequest(gateway.url, {
    method: "POST",
    target: "/v1/nowhere",
    headers: [["Content-Length", String(TOO_LARGE.length)]],
    body: TOO_LARGE,
  });
  assertRefused(reply, "missing_authentication");
});

for (const missing of ["X-CPG-Key", "X-CPG-Timestamp", "X-CPG-Signature"]) {
  Deno.test(`spec 5.1: a missing ${missing} comes before a stale timestamp, bad signature or unknown key`, async () => {
    const headers: Record<string, string> = {
      "X-CPG-Key": "cpg_unknown",
      "X-CPG-Timestamp": STALE,
      ...BAD_SIGNATURE,
    };
    delete headers[missing];
    const sent = Object.entries(headers);
    const reply = await rawRequest(gateway.url, {
      method: "GET",
      target: "/v1/_ping",
      headers: sent,
    });
    assertRefused(reply, "missing_authentication");
  });
}

Deno.test("contract 1: a body over 64 KiB is 413 before its signature is checked", async () => {
  const { api } = await makeExcluded();
  const call = { method: "POST", target: TARGET, body: TOO_LARGE };
  const keys = { "X-CPG-Key": "cpg_unknown" };
  assertRefused(await api.send({ ...call, headers: BAD_SIGNATURE }), "body_too_large");
  assertRefused(await api.send({ ...call, headers: keys }), "body_too_large");
  assertRefused(await api.send({ ...call, timestamp: STALE }), "body_too_large");
});

Deno.test("contract 1: a bad signature comes before a stale timestamp", async () => {
  const { api } = await makeExcluded();
  const get = (call: Partial<SignedCall>) => api.send({ method: "GET", target: TARGET, ...call });
  for (const timestamp of [STALE, "soon"]) {
    assertRefused(await get({ timestamp, headers: BAD_SIGNATURE }), "invalid_signature");
  }
});

Deno.test("contract 1: an unknown or revoked key comes before a stale timestamp", async () => {
  const { api, credentials: { keyId } } = await makeExcluded();
  const call = { method: "GET", target: TARGET, timestamp: STALE };
  assertRefused(
    await api.send({ ...call, headers: { "X-CPG-Key": "cpg_unknown" } }),
    "invalid_signature",
  );
  await revokeApiKey(gateway.deps, { keyId, actor: "test" });
  assertRefused(await api.send(call), "invalid_signature");
});

Deno.test("contract 1: a stale timestamp comes before the source IP", async () => {
  const { api } = await makeExcluded();
  const reply = await api.send({ method: "POST", target: TARGET, body: "no", timestamp: STALE });
  assertRefused(reply, "timestamp_out_of_window");
});

Deno.test("contract 1: the source IP comes before the permission, the path and the method", async () => {
  const { api } = await makeExcluded();
  assertRefused(await api.post(TARGET, "no"), "ip_not_allowed");
  assertRefused(await api.get("/v1/nowhere"), "ip_not_allowed");
  assertRefused(await api.send({ method: "DELETE", target: TARGET }), "ip_not_allowed");
});

Deno.test("contract 1: the source IP comes before the rate limit", async () => {
  const { api } = await makeClockedMerchant(gateway, { ipList: ["203.0.113.7"], rateLimit: 1 });
  for (let request = 0; request < 3; request++) {
    assertRefused(await api.get("/v1/_ping"), "ip_not_allowed");
  }
});

Deno.test("contract 1: the permission comes before the rate limit", async () => {
  const { api } = await makeSpent({ permissions: ["read_balance"] });
  assertRefused(await api.post(TARGET, "no"), "permission_denied", "Missing permission: withdraw");
  assertRefused(await api.get("/v1/_ping"), "rate_limited");
});

Deno.test("contract 1: the permission comes before faults of the request", async () => {
  const { api } = await makeClockedMerchant(gateway, { permissions: ["read_balance"] });
  assertRefused(await api.post(TARGET, "no"), "permission_denied", "Missing permission: withdraw");
  assertRefused(
    await api.get("/v1/transactions?limit=0"),
    "permission_denied",
    "Missing permission: list_transactions",
  );
});

Deno.test("contract 1: the rate limit comes before faults of the request", async () => {
  const { api } = await makeSpent({});
  assertRefused(await api.post(TARGET, "no"), "rate_limited");
  assertRefused(await api.get("/v1/transactions?limit=0"), "rate_limited");
  assertRefused(await api.get("/v1/withdrawals/999"), "rate_limited");
});

Deno.test("contract 1: 404 and 405 come after authentication and rate limit", async () => {
  const unknown = { method: "GET", target: "/v1/nowhere" };
  const wrong = { method: "DELETE", target: TARGET };
  const spent = await makeSpent({});
  const free = await makeClockedMerchant(gateway);
  for (const call of [unknown, wrong]) {
    const bare = await rawRequest(gateway.url, { ...call, headers: [] });
    assertRefused(bare, "missing_authentication");
    assertRefused(await free.api.send({ ...call, headers: BAD_SIGNATURE }), "invalid_signature");
    assertRefused(await spent.api.send(call), "rate_limited");
  }
  assertRefused(await free.api.send(unknown), "not_found");
  assertRefused(await free.api.send(wrong), "method_not_allowed");
});

Deno.test("contract 1: if nothing else applies the endpoint answers: a body over its fields is 422", async () => {
  const { api } = await makeClockedMerchant(gateway);
  assertInvalid(await api.post(TARGET, {}), ["currency", "network", "to_address", "amount"]);
});

Deno.test("contract 1: a body's size is its bytes: 64 KiB pass, one more is 413, whatever the header says", async () => {
  const { credentials } = await makeClockedMerchant(gateway);
  const timestamp = timestampOf(clock);
  for (
    const [body, code] of [[TOO_LARGE.slice(1), undefined], [TOO_LARGE, "body_too_large"]] as const
  ) {
    const signed = Object.entries(
      signedHeaders(credentials, { method: "POST", target: TARGET, body, timestamp }),
    );
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (
      const [length, sent, twice] of [
        [["Content-Length", String(body.length)], body],
        [["Transfer-Encoding", "chunked"], chunk],
        [["Content-Length", String(body.length)], body, "twice"],
      ] as const
    ) {
      const lines = new Array(twice ? 2 : 1).fill([length[0]!, length[1]!] as const);
      const headers = [...signed, ...lines];
      const reply = await rawRequest(gateway.url, {
        method: "POST",
        target: TARGET,
        headers,
        body: sent,
      });
      if (code) assertRefused(reply, code);
      else assert.equal(reply.status, 422, JSON.stringify(reply.body));
    }
  }
});

Deno.test("contract 1: a body over 64 KiB is refused before it is read to its end", async () => {
  const { credentials } = await makeClockedMerchant(gateway);
  const call = { method: "POST", target: TARGET, timestamp: timestampOf(clock) };
  const signed = Object.entries(signedHeaders(credentials, call));
  const unfinished = [
    { headers: [["Content-Length", "10000000000"] as const], body: "{" },
    { headers: [["Transfer-Encoding", "chunked"] as const], body: `fffff\r\n${TOO_LARGE}` },
  ];
  for (const { headers, body } of unfinished) {
    const request = { method: "POST", target: TARGET, headers: [...signed, ...headers], body };
    assertRefused(await rawRequest(gateway.url, request), "body_too_large");
  }
});
