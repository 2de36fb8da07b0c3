import assert from "node:assert/strict";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import {
  clockedClient,
  type ClockedGateway,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
} from "../clocked_gateway.ts";
import { assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway({ CPG_TRUSTED_PROXIES: "127.0.0.1" });
Deno.test.afterAll(() => gateway.stop());
const { clock } = gateway;
await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });

function limitOf({ headers }: ApiReply) {
  return [headers.get("ratelimit-policy"), headers.get("ratelimit")];
}

Deno.test("contract 3: an authenticated response has the key's policy, what remains and when it is full", async () => {
  const { api } = await makeClockedMerchant(gateway, { rateLimit: 600 });
  const policy = '"default";q=600;w=60';
  assert.deepEqual(limitOf(await api.get("/v1/_ping")), [policy, '"default";r=599;t=1']);
  assert.deepEqual(limitOf(await api.get("/v1/_ping")), [policy, '"default";r=598;t=1']);
  for (let request = 3; request <= 15; request++) await api.get("/v1/_ping");
  assert.deepEqual(limitOf(await api.get("/v1/_ping")), [policy, '"default";r=584;t=2']);
  clock.advance(1000);
  assert.deepEqual(limitOf(await api.get("/v1/_ping")), [policy, '"default";r=593;t=1']);
});

Deno.test("contract 3: a key has a burst of one minute's size, then 429 with Retry-After in seconds", async () => {
  const { api } = await makeClockedMerchant(gateway, { rateLimit: 3 });
  const policy = '"default";q=3;w=60';
  for (const limit of ['"default";r=2;t=20', '"default";r=1;t=40', '"default";r=0;t=60']) {
    const reply = await api.get("/v1/_ping");
    assert.equal(reply.status, 200);
    assert.deepEqual(limitOf(reply), [policy, limit]);
    assert.equal(reply.headers.get("retry-after"), null);
  }
  const refused = await api.get("/v1/_ping");
  assertRefused(refused, "rate_limited");
  assert.deepEqual(limitOf(refused), [policy, '"default";r=0;t=60']);
  assert.equal(refused.headers.get("retry-after"), "20");
  clock.advance(19_000);
  const early = await api.get("/v1/_ping");
  assertRefused(early, "rate_limited");
  assert.equal(early.headers.get("retry-after"), "1");
  clock.advance(1000);
  assert.equal((await api.get("/v1/_ping")).status, 200);
  assertRefused(await api.get("/v1/_ping"), "rate_limited");
});

Deno.test("contract 3: a bucket never holds more than the key's minute, however long it rests", async () => {
  const { api } = await makeClockedMerchant(gateway, { rateLimit: 2 });
  await api.get("/v1/_ping");
  clock.advance(3_600_000);
  const reply = await api.get("/v1/_ping");
  assert.deepEqual(limitOf(reply), ['"default";q=2;w=60', '"default";r=1;t=30']);
  assert.equal((await api.get("/v1/_ping")).status, 200);
  assertRefused(await api.get("/v1/_ping"), "rate_limited");
});

Deno.test("contract 3: whoever waits as long as Retry-After says is let in, at any rate", async () => {
  for (const rateLimit of [1, 3, 7, 13, 59, 60, 61, 150]) {
    for (const knocks of [0, 1, 2, 5]) {
      const { api } = await makeClockedMerchant(gateway, { rateLimit });
      const ask = () => api.get("/v1/_ping");
      await Promise.all(Array.from({ length: rateLimit }, ask));
      let refused = await ask();
      for (let knock = 0; knock < knocks; knock++) {
        clock.advance(Math.floor(60_000 / rateLimit / (knocks + 3)));
        refused = await ask();
      }
      assertRefused(refused, "rate_limited");
      const waitS = refused.headers.get("retry-after")!;
      assert.match(waitS, /^[1-9]\d*$/);
      clock.advance(Number(waitS) * 1000);
      const { status } = await ask();
      assert.equal(status, 200, `${rateLimit} a minute, ${knocks} knocks, ${waitS} s`);
    }
  }
});

Deno.test("contract 3: of many requests at once exactly as many pass as the bucket holds", async () => {
  const { api } = await makeClockedMerchant(gateway, { rateLimit: 7 });
  const replies = await Promise.all(Array.from({ length: 40 }, () => api.get("/v1/_ping")));
  assert.equal(replies.filter(({ status }) => status === 200).length, 7);
  assert.equal(replies.filter(({ status }) => status === 429).length, 33);
});

Deno.test("spec 8: rate limits are per key: another key of the same account has its own", async () => {
  const first = await makeClockedMerchant(gateway, { rateLimit: 1 });
  const made = await createApiKey(gateway.deps, {
    accountId: first.accountId,
    label: "second",
    permissions: ["read_balance"],
    ipList: [],
    rateLimit: 5,
    actor: "test",
  });
  const second = clockedClient(gateway, { keyId: made.row.keyId, secret: made.secret });
  await first.api.get("/v1/_ping");
  assertRefused(await first.api.get("/v1/_ping"), "rate_limited");
  const reply = await second.get("/v1/_ping");
  assert.deepEqual(limitOf(reply), ['"default";q=5;w=60', '"default";r=4;t=12']);
});

Deno.test("contract 3: every response of an endpoint has the rate limit, good or bad", async () => {
  const { api, accountId } = await makeClockedMerchant(gateway, { rateLimit: 60 });
  await enable(gateway.deps, { accountId, network: "ETH", currency: "ETH", withdrawal: false });
  const address = { currency: "ETH", network: "ETH" };
  const payment = { ...address, to_address: `0x${"1".repeat(40)}`, amount: "1" };
  const replies = [
    await api.get("/v1/balances"),
    await api.post("/v1/deposit-addresses", address),
    await api.post("/v1/deposit-addresses", address),
    await api.post("/v1/withdrawals", {}),
    await api.post("/v1/withdrawals", payment),
    await api.get("/v1/withdrawals/1"),
    await api.get("/v1/nowhere"),
    await api.send({ method: "DELETE", target: "/v1/balances" }),
  ];
  const statuses = replies.map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 401, 422, 403, 404, 404, 405]);
  replies.forEach((reply, i) =>
    assert.deepEqual(limitOf(reply), ['"default";q=60;w=60', `"default";r=${59 - i};t=${i + 1}`])
  );
});

Deno.test("contract 3: every authenticated response has the rate limit, even 403 for a permission", async () => {
  const { api } = await makeClockedMerchant(gateway, { rateLimit: 60, permissions: [] });
  const reply = await api.get("/v1/_ping");
  assert.equal(reply.status, 403);
  assert.equal(reply.headers.get("ratelimit-policy"), '"default";q=60;w=60');
  assert.match(reply.headers.get("ratelimit") ?? "", /^"default";r=(60|59);t=[01]$/);
});

Deno.test("contract 1: a request refused for its permission or its source IP costs no budget", async () => {
  const { api } = await makeClockedMerchant(gateway, {
    rateLimit: 10,
    permissions: ["read_balance"],
    ipList: ["203.0.113.7"],
  });
  const get = (target: string, ip: string) =>
    api.send({ method: "GET", target, headers: { "X-Forwarded-For": ip } });
  for (let request = 0; request < 20; request++) {
    assert.equal((await get("/v1/currencies", "203.0.113.7")).status, 403);
    assert.equal((await get("/v1/_ping", "203.0.113.8")).status, 403);
  }
  const reply = await get("/v1/_ping", "203.0.113.7");
  assert.equal(reply.headers.get("ratelimit"), '"default";r=9;t=6');
});

function failFrom(keyId: string, ip: string, at: ClockedGateway = gateway) {
  const api = clockedClient(at, { keyId, secret: "wrong" });
  return api.send({ method: "GET", target: "/v1/_ping", headers: { "X-Forwarded-For": ip } });
}

Deno.test("contract 3: failed authentication is limited per source IP, to 60 a minute by default", async () => {
  const { credentials: { keyId } } = await makeClockedMerchant(gateway);
  const ip = "203.0.113.60";
  for (let failure = 0; failure < 60; failure++) {
    assertRefused(await failFrom(failure % 2 ? keyId : "unknown", ip), "invalid_signature");
  }
  const refused = await failFrom(keyId, ip);
  assertRefused(refused, "rate_limited");
  assert.match(refused.headers.get("retry-after")!, /^[1-9]\d*$/);
  assertRefused(await failFrom(keyId, "203.0.113.61"), "invalid_signature");
  clock.advance(1000);
  assertRefused(await failFrom(keyId, ip), "invalid_signature");
  assertRefused(await failFrom(keyId, ip), "rate_limited");
});

Deno.test("all addresses of an IPv6 /64 share their failures", async () => {
  await using strict = await startClockedGateway({
    CPG_AUTH_FAILURES_PER_MINUTE: "3",
    CPG_TRUSTED_PROXIES: "127.0.0.1",
  });
  for (let i = 1; i <= 3; i++) {
    assertRefused(await failFrom("unknown", `2001:db8::${i}`, strict), "invalid_signature");
  }
  assertRefused(await failFrom("unknown", "2001:db8::4", strict), "rate_limited");
  assertRefused(await failFrom("unknown", "2001:db8:0:1::1", strict), "invalid_signature");
});

Deno.test("contract 1: all networks of an IPv6 /48 share ten times as many failures", async () => {
  await using strict = await startClockedGateway({
    CPG_AUTH_FAILURES_PER_MINUTE: "3",
    CPG_TRUSTED_PROXIES: "127.0.0.1",
  });
  for (let i = 1; i <= 30; i++) {
    assertRefused(await failFrom("unknown", `2001:db8:0:${i}::1`, strict), "invalid_signature");
  }
  assertRefused(await failFrom("unknown", "2001:db8:0:99::1", strict), "rate_limited");
  assertRefused(await failFrom("unknown", "2001:db8:1::1", strict), "invalid_signature");
});

Deno.test("contract 3: CPG_AUTH_FAILURES_PER_MINUTE limits the failures of a source IP, of all kinds", async () => {
  await using strict = await startClockedGateway({ CPG_AUTH_FAILURES_PER_MINUTE: "3" });
  const { api, credentials: { keyId } } = await makeClockedMerchant(strict);
  const bare = () => api.send({ method: "GET", target: "/v1/_ping", headers: { "X-CPG-Key": "" } });
  const stale = () => api.send({ method: "GET", target: "/v1/_ping", timestamp: "1" });
  assert.equal((await bare()).status, 401);
  assertRefused(await stale(), "timestamp_out_of_window");
  assertRefused(await failFrom(keyId, "127.0.0.1", strict), "invalid_signature");
  for (const fail of [bare, stale, () => failFrom(keyId, "127.0.0.1", strict)]) {
    assertRefused(await fail(), "rate_limited");
  }
});

Deno.test("contract 3: correctly signed requests are never throttled by others' failures", async () => {
  const { api, credentials: { keyId } } = await makeClockedMerchant(gateway, { rateLimit: 5 });
  const ip = "203.0.113.99";
  const replies = await Promise.all(Array.from({ length: 80 }, () => failFrom(keyId, ip)));
  assert.equal(replies.filter(({ status }) => status === 429).length, 20);
  for (const reply of replies) assert.deepEqual(limitOf(reply), [null, null]);
  const call = { method: "GET", target: "/v1/_ping", headers: { "X-Forwarded-For": ip } };
  const reply = await api.send(call);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("ratelimit"), '"default";r=4;t=12');
});
