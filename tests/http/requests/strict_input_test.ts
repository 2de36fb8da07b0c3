import assert from "node:assert/strict";
import { z } from "zod";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { createApp } from "../../../src/http/app.ts";
import { text } from "../../../src/http/body_schema.ts";
import { strict } from "../../../src/http/endpoint.ts";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { ok } from "../../../src/http/reply.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";
import { assertInvalid, assertNotAnObject, assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
const { credentials, api } = await makeClockedMerchant(gateway);

const about = {
  permission: "read_balance",
  tag: "Tests",
  summary: "",
  description: "",
  data: z.unknown(),
  refusals: [],
  example: { data: {} },
} as const;
const query = z.object({
  status: z.enum(["open", "done"]).optional(),
  tx_hash: text({ max: 9 }).optional(),
});
const body = z.object({
  url: text({ min: 1, max: 20 }),
  events: z.array(z.string("Must be a string"), "Must be a list").optional(),
});
const echo = strict({
  ...about,
  method: "GET",
  path: "/v1/echo",
  operationId: "echo",
  query,
  handle: () => (c, input) => Promise.resolve(ok(c, input)),
});
const write = strict({
  ...about,
  method: "POST",
  path: "/v1/echo",
  operationId: "write",
  body,
  handle: () => (c, input) => Promise.resolve(ok(c, input)),
});
const bare = strict({
  ...about,
  method: "DELETE",
  path: "/v1/echo/{id}",
  operationId: "bare",
  handle: () => (c, input) => Promise.resolve(ok(c, input)),
});
const app = createApp({
  deps,
  metrics: createGatewayMetrics(),
  trustedProxies: [],
  bodyTimeoutMs: 20_000,
  authFailuresPerMinute: 100,
}, [echo, write, bare]);

async function send(method: string, target: string, sent?: string) {
  const call = { method, target, ...sent === undefined ? {} : { body: sent } };
  const headers = signedHeaders(credentials, { ...call, timestamp: timestampOf(clock) });
  const request = new Request(`http://gateway${target}`, {
    method,
    headers,
    ...sent === undefined ? {} : { body: sent },
  });
  const reply = await app.fetch(request, { remoteIp: "127.0.0.1" });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

async function messagesOf(reply: ReturnType<typeof send>): Promise<Record<string, string>> {
  const { body: { error } } = await reply;
  return Object.fromEntries(
    error.fields.map(({ field, message }: { field: string; message: string }) => [field, message]),
  );
}

Deno.test("a strict endpoint gets exactly what its schemas describe", async () => {
  const { body: { data } } = await send("GET", "/v1/echo?tx_hash=a%20b&status=open");
  assert.deepEqual(data, { query: { tx_hash: "a b", status: "open" }, body: {} });
  const sent = `{"events":["a","b"],"url":"https://a"}`;
  const written = await send("POST", "/v1/echo", sent);
  assert.deepEqual(written.body.data, {
    query: {},
    body: { url: "https://a", events: ["a", "b"] },
  });
  assert.deepEqual((await send("DELETE", "/v1/echo/1")).body.data, { query: {}, body: {} });
});

Deno.test("an unknown parameter is a 422 that names it, and the right name if there is a close one", async () => {
  const reply = send("GET", "/v1/echo?stauts=open&hash=1&qq=&%C3%A9=1");
  assertInvalid(await reply, ["stauts", "hash", "qq", "é"]);
  assert.deepEqual(await messagesOf(reply), {
    stauts: "Unknown parameter; did you mean status?",
    hash: "Unknown parameter; did you mean tx_hash?",
    qq: "Unknown parameter",
    é: "Unknown parameter",
  });
});

Deno.test("a word of a parameter's name leads to the whole name", async () => {
  const wanted = {
    "withdrawals?reference=a": "client_reference",
    "withdrawals?address=a": "to_address",
    "deposits?Hash=a": "tx_hash",
    "deposits?user=a": "user_identifier",
  };
  for (const [target, right] of Object.entries(wanted)) {
    const { body: { error } } = await api.get(`/v1/${target}`);
    assert.equal(error.fields[0].message, `Unknown parameter; did you mean ${right}?`);
  }
});

Deno.test("an unknown field is a 422 that names it, and so is a missing one beside it", async () => {
  const reply = send("POST", "/v1/echo", `{"event":["a"],"x":{"url":1},"events":"all"}`);
  assertInvalid(await reply, ["event", "x", "url", "events"]);
  assert.deepEqual(await messagesOf(reply), {
    event: "Unknown field; did you mean events?",
    x: "Unknown field",
    url: "Required",
    events: "Must be a list",
  });
});

Deno.test("faults of the query and of the body come together", async () => {
  assertInvalid(await send("POST", "/v1/echo?a=1", `{"b":2}`), ["a", "b", "url"]);
});

Deno.test("a repeated parameter is a 422, also if both say the same", async () => {
  const reply = send("GET", "/v1/echo?status=open&status=open");
  assertInvalid(await reply, ["status"]);
  assert.deepEqual(await messagesOf(reply), { status: "Must be given only once" });
});

Deno.test("a wrong value and an unknown name are named in one answer", async () => {
  assertInvalid(await send("GET", "/v1/echo?status=gone&limits=1"), ["limits", "status"]);
});

Deno.test("names of Object's own properties are unknown parameters and fields", async () => {
  assertInvalid(await send("GET", "/v1/echo?constructor=1"), ["constructor"]);
  assertInvalid(await send("GET", "/v1/echo?__proto__=1"), ["__proto__"]);
  assertInvalid(await send("POST", "/v1/echo", `{"url":"u","__proto__":1}`), ["__proto__"]);
});

Deno.test("nonce is ignored in every query, however often it is given", async () => {
  const { body: { data } } = await send("GET", "/v1/echo?nonce=1&status=done&nonce=2");
  assert.deepEqual(data.query, { status: "done" });
  for (const { method, path, query } of ENDPOINTS) {
    assert.ok(!query || !("nonce" in query.shape), path);
    if (method !== "GET" || path.includes("{")) continue;
    const needed = path.includes("hot-wallet") ? "network=ETH&" : "";
    const [plain, other] = await Promise.all([
      api.get(`${path}?${needed}`),
      api.get(`${path}?${needed}nonce=7&nonce=8`),
    ]);
    assert.equal(other.status, plain.status, path);
  }
});

Deno.test("what takes no body refuses fields, and takes an empty body or object", async () => {
  assert.equal((await send("DELETE", "/v1/echo/1", "{}")).status, 200);
  assertInvalid(await send("DELETE", "/v1/echo/1", `{"force":true}`), ["force"]);
  assertNotAnObject(await send("DELETE", "/v1/echo/1", "[]"));
  assertNotAnObject(await send("POST", "/v1/echo", "{"));
  assertInvalid(await send("POST", "/v1/echo"), ["url"]);
});

Deno.test("many and long unknown names are reported in part", async () => {
  const names = Array.from({ length: 60 }, (_, i) => `${i}${"x".repeat(1_000)}`);
  for (
    const reply of [
      await send("GET", `/v1/echo?${names.map((name) => `${name}=1`).join("&")}`),
      await send(
        "DELETE",
        "/v1/echo/1",
        JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
      ),
    ]
  ) {
    assert.equal(reply.status, 422);
    assert.equal(reply.body.error.fields.length, 20);
    assert.ok(reply.body.message.length < 2_000);
  }
});

Deno.test("of one path, each method has its endpoint, and others are a 405 that names them all", async () => {
  const reply = await send("PATCH", "/v1/echo");
  assertRefused(reply, "method_not_allowed");
  assert.equal(reply.headers.get("allow"), "GET, POST");
});
