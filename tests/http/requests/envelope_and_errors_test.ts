import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { Unavailable } from "../../../src/store/connection/faults.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { rawRequest } from "./raw_request.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });
const { api, accountId } = await makeClockedMerchant(gateway);
await enable(gateway.deps, { accountId, network: "ETH", currency: "ETH" });

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;

Deno.test("spec 1: a read's success envelope has success true, message OK and data, nothing else", async () => {
  const { status, body, headers } = await api.get("/v1/hot-wallet-address?network=ETH");
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["data", "message", "success"]);
  assert.equal(body.success, true);
  assert.equal(body.message, "OK");
  assert.equal(headers.get("content-type"), "application/json");
});

Deno.test("contract 1: a successful POST is HTTP 200 with the same envelope", async () => {
  const { status, body } = await api.post("/v1/deposit-addresses", {
    currency: "ETH",
    network: "ETH",
  });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["data", "message", "success"]);
  assert.deepEqual([body.success, body.message], [true, "OK"]);
});

Deno.test("spec 1: list endpoints also have data_count, the number of rows in data", async () => {
  for (const target of ["/v1/currencies", "/v1/balances"]) {
    const { body } = await api.get(target);
    assert.deepEqual(Object.keys(body).sort(), ["data", "data_count", "message", "success"]);
    assert.ok(Array.isArray(body.data));
    assert.equal(body.data_count, body.data.length);
    assert.deepEqual([body.success, body.message], [true, "OK"]);
  }
});

Deno.test("spec 1: GET /v1/transactions also has next_cursor and has_more", async () => {
  const { body } = await api.get("/v1/transactions");
  const expected = { success: true, message: "OK", data: [], data_count: 0 };
  assert.deepEqual(body, { ...expected, next_cursor: null, has_more: false });
});

Deno.test("spec 1: timestamps are ISO-8601 UTC strings with a numeric offset", async () => {
  const order = { currency: "ETH", network: "ETH", idempotency_key: "times" };
  const { body } = await api.post("/v1/deposit-addresses", order);
  assert.match(body.data.created_at, TIMESTAMP);
  assert.match(body.data.display_expires_at, TIMESTAMP);
  assert.equal(Date.parse(body.data.created_at), gateway.clock.nowMs());
});

Deno.test("spec 1: identifiers of records are integers", async () => {
  const order = { currency: "ETH", network: "ETH", idempotency_key: "ids" };
  const { body } = await api.post("/v1/deposit-addresses", order);
  assert.ok(Number.isSafeInteger(body.data.request_id) && body.data.request_id > 0);
});

Deno.test("contract 2: every response, good or bad, has its own X-Request-Id", async () => {
  const replies = [
    await api.get("/v1/_ping"),
    await api.get("/v1/_ping"),
    await api.get("/v1/withdrawals/1"),
    await api.get("/v1/nowhere"),
    await api.post("/v1/withdrawals", "no"),
    await api.send({ method: "DELETE", target: "/v1/_ping" }),
    await rawRequest(gateway.url, { method: "GET", target: "/v1/_ping", headers: [] }),
    await rawRequest(gateway.url, { method: "GET", target: "/nowhere", headers: [] }),
  ];
  assert.deepEqual(replies.map(({ status }) => status), [200, 200, 404, 404, 422, 405, 401, 404]);
  const ids = replies.map(({ headers }) => headers.get("x-request-id"));
  assert.ok(ids.every((id) => id !== null && /^\S{8,}$/.test(id)), JSON.stringify(ids));
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("contract 2: every response has X-Request-Id, an operator's probes too", async () => {
  for (const target of ["/healthz", "/readyz", "/metrics"]) {
    const reply = await rawRequest(gateway.url, { method: "GET", target, headers: [] });
    assert.equal(reply.status, 200, target);
    assert.match(reply.headers.get("x-request-id") ?? "", /^\S{8,}$/, target);
  }
});

Deno.test("contract 2: a caller's own X-Request-Id isn't used", async () => {
  const headers = { "X-Request-Id": "mine-mine-mine" };
  const reply = await api.send({ method: "GET", target: "/v1/_ping", headers });
  assert.notEqual(reply.headers.get("x-request-id"), "mine-mine-mine");
});

Deno.test("contract 2: an error has success false, message, code and request_id, with fields only on 422", async () => {
  const bad: readonly [ApiReply, Parameters<typeof assertRefused>[1]][] = [
    [await api.get("/v1/withdrawals/1"), "not_found"],
    [await api.get("/v1/hot-wallet-address?network=none"), "network_not_found"],
    [
      await api.post("/v1/deposit-addresses", { currency: "X", network: "ETH" }),
      "currency_not_found",
    ],
    [await api.send({ method: "DELETE", target: "/v1/_ping" }), "method_not_allowed"],
  ];
  for (const [reply, code] of bad) {
    assertRefused(reply, code);
    assert.deepEqual(Object.keys(reply.body), ["success", "message", "error"]);
    assert.equal("fields" in reply.body.error, false);
  }
});

Deno.test("contract 2: a 422 names every offending field in its message and in fields", async () => {
  assertInvalid(await api.post("/v1/deposit-addresses", {}), ["currency", "network"]);
  assertInvalid(
    await api.post("/v1/deposit-addresses", {
      currency: "",
      network: "x".repeat(33),
      user_identifier: "x".repeat(257),
      idempotency_key: 7,
    }),
    ["currency", "network", "user_identifier", "idempotency_key"],
  );
  assertInvalid(await api.get("/v1/transactions?limit=0&direction=x&status=x&cursor=x"), [
    "limit",
    "direction",
    "status",
    "cursor",
  ]);
});

/** A gateway whose database fails like this on every list. */
async function withBrokenLists(
  fault: () => Error,
  work: (broken: Awaited<ReturnType<typeof startClockedGateway>>) => Promise<void>,
): Promise<void> {
  const list: Deps["db"]["list"] = () => Promise.reject(fault());
  await using broken = await startClockedGateway(
    {},
    (deps) => ({ ...deps, db: { ...deps.db, list } }),
  );
  await work(broken);
}

Deno.test("contract 2: an unexpected fault is 500 with its request id and nothing of the inside", async () => {
  const fault = () => new Error("SELECT secret FROM vault at /srv/cpg.ts");
  await withBrokenLists(fault, async (broken) => {
    const { api } = await makeClockedMerchant(broken);
    const reply = await api.get("/v1/balances");
    assertRefused(reply, "internal_error");
    const shown = JSON.stringify([reply.body, [...reply.headers]]);
    for (const inside of ["SELECT", "secret", "vault", "cpg.ts", "stack"]) {
      assert.equal(shown.includes(inside), false, inside);
    }
    const { request_id } = reply.body.error;
    const reported = broken.logged.filter((line) =>
      line.includes(request_id) && line.includes("SELECT secret")
    );
    assert.equal(reported.length, 1);
    assert.equal((await api.get("/v1/_ping")).status, 200);
  });
});

Deno.test("contract 2: a database that doesn't answer has the code unavailable", async () => {
  await withBrokenLists(() => new Unavailable("SQLITE_BUSY at 10.0.0.5"), async (broken) => {
    const { api } = await makeClockedMerchant(broken);
    const { status, body, headers } = await api.get("/v1/balances");
    assert.equal(status, 503);
    assert.equal(body.success, false);
    assert.equal(body.error.code, "unavailable");
    assert.equal(body.error.request_id, headers.get("x-request-id"));
    assert.equal(JSON.stringify(body).includes("SQLITE"), false);
  });
});

Deno.test("contract 5: a secret is never logged", async () => {
  const { api, credentials } = await makeClockedMerchant(gateway);
  await api.get("/v1/_ping");
  await api.post("/v1/withdrawals", "no");
  assert.ok(gateway.logged.some((line) => line.includes(credentials.keyId)));
  assert.equal(gateway.logged.some((line) => line.includes(credentials.secret)), false);
});
