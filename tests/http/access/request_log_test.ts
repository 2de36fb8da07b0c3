import assert from "node:assert/strict";
import { createApiKey, handKeyOf, revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { prune } from "../../../src/upkeep/prune.ts";
import { keepRequests } from "../../../src/request_log/keep_requests.ts";
import {
  NOBODY,
  RequestCounts,
  RequestLog,
  RequestLogDays,
} from "../../../src/request_log/table.ts";
import { Unavailable } from "../../../src/store/connection/faults.ts";
import { apiClient, type SignedCall } from "../../support/api_client.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";

const ENV = { CPG_AUTH_FAILURES_PER_MINUTE: "1000000" };
const PING = { method: "GET", target: "/v1/_ping" };
const WRONG = "0".repeat(64);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function start() {
  const gateway = await startClockedGateway(ENV);
  const merchant = await makeClockedMerchant(gateway, { rateLimit: 1_000_000 });
  const { deps, url, clock } = gateway;
  const send = async (call: Partial<SignedCall> & { keyId?: string } = {}) =>
    await apiClient(url, {
      ...merchant.credentials,
      keyId: call.keyId ?? merchant.credentials.keyId,
    })
      .send({ ...PING, timestamp: timestampOf(clock), ...call });
  return {
    gateway,
    deps,
    clock,
    merchant,
    send,
    bad: (call: Partial<SignedCall> = {}) =>
      send({ ...call, headers: { "X-CPG-Signature": WRONG } }),
    rows: async () => {
      await keepRequests(deps);
      return await deps.db.rows(RequestLog, "ORDER BY id");
    },
    counts: async (accountId: number) =>
      (await deps.db.rows(RequestCounts, "WHERE account_id = ? ORDER BY route", [accountId]))
        .map(({ route, succeeded, rejected }) => ({ route, succeeded, rejected })),
    [Symbol.asyncDispose]: () => gateway.stop(),
  };
}

Deno.test("a rejected request is kept, with what it should have signed; a good one is counted", async () => {
  await using shop = await start();
  const { merchant, clock } = shop;
  const { accountId, credentials: { keyId } } = merchant;
  await shop.send();
  const body = JSON.stringify({ amount: "1" });
  const target = "/v1/withdrawals?a=1";
  const reply = await shop.bad({ method: "POST", target, body });
  const [row, ...others] = await shop.rows();
  assert.deepEqual(others, []);
  const { canonical, ...kept } = row!;
  assert.deepEqual(kept, {
    id: 1,
    accountId,
    keyId,
    atMs: clock.nowMs(),
    code: "invalid_signature",
    method: "POST",
    path: "/v1/withdrawals",
    query: "a=1",
    status: 401,
    reason: "bad_signature",
    ip: "127.0.0.1",
    requestId: reply.headers.get("x-request-id"),
    message: "Invalid signature",
    skewS: null,
    body,
    bodyBytes: body.length,
  });
  const lines = canonical!.split("\n");
  assert.deepEqual(lines.slice(0, 4), [timestampOf(clock), "POST", "/v1/withdrawals", "a=1"]);
  assert.match(lines[4]!, /^[0-9a-f]{64}$/);
  assert.deepEqual(await shop.counts(accountId), [
    { route: "GET /v1/_ping", succeeded: 1, rejected: 0 },
    { route: "POST unknown", succeeded: 0, rejected: 1 },
  ]);
});

Deno.test("each reason is kept under the key's account, and strangers' keys are only counted", async () => {
  await using shop = await start();
  const { deps, merchant, send, clock } = shop;
  const { accountId } = merchant;
  const key = { accountId, label: "x", permissions: [], rateLimit: 100, actor: "test" } as const;
  const gone = await createApiKey(deps, { ...key, ipList: [] });
  await revokeApiKey(deps, { keyId: gone.row.keyId, actor: "test" });
  const hand = await handKeyOf(deps, { accountId, actor: "test" });
  await send({ timestamp: timestampOf(clock, { offsetS: -400 }) });
  await send({ target: "/v1/nothing" });
  await send({ method: "POST", target: "/v1/withdrawals", body: "{}" });
  await send({ keyId: gone.row.keyId });
  await send({ keyId: hand });
  await send({ keyId: "cpg_nobody" });
  await apiClient(shop.gateway.url, merchant.credentials).send({
    ...PING,
    headers: { "X-CPG-Signature": "" },
  });
  const rows = await shop.rows();
  assert.deepEqual(
    rows.map(({ reason, code, skewS, canonical }) => [reason, code, skewS, canonical]),
    [
      ["clock_skew", "timestamp_out_of_window", -400, null],
      ["not_found", "not_found", null, null],
      ["validation_failed", "validation_failed", null, null],
      ["revoked_key", "invalid_signature", null, null],
    ],
  );
  assert.ok(rows.every((row) => row.accountId === accountId));
  assert.match(rows[2]!.message, /^Invalid fields: /);
  assert.deepEqual(await shop.counts(NOBODY), [{ route: "", succeeded: 0, rejected: 3 }]);
});

Deno.test("neither signatures nor secrets are kept, and of a body 2 KiB at most", async () => {
  await using shop = await start();
  const { credentials } = shop.merchant;
  const signature = "ab".repeat(32);
  const secrets = [
    credentials.secret,
    signature,
    "whsec_c2VjcmV0",
    "hunter2",
    "deadbeef".repeat(8),
  ];
  const [own, , hook, password, privateKey] = secrets;
  await shop.bad({
    method: "POST",
    target: `/v1/deposits?secret=${password}&token=${own}&x=${own}`,
    body: JSON.stringify({ note: `my ${own} and ${hook}`, password, k: `0x${privateKey}` }),
    timestamp: signature,
  });
  await shop.bad({ method: "POST", target: "/v1/withdrawals", body: "é".repeat(20_000) });
  await shop.bad({ method: "POST", target: "/v1/withdrawals", body: "a\u0000b" });
  const binary = new Uint8Array([0xff, 0xfe, 0x00]);
  shop.deps.memory.requests.rejected(
    { accountId: 1, keyId: "k", route: "/", method: "GET", atMs: shop.clock.nowMs() },
    {
      isProven: true,
      describe: () => ({
        ...{ target: "/", status: 422, code: "c", message: "m", reason: "r", ip: "::1" },
        ...{ requestId: "1", skewS: null, canonical: null, body: binary },
      }),
    },
  );
  const rows = await shop.rows();
  const text = JSON.stringify(rows);
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
  assert.equal(rows[0]!.query, "secret=(hidden)&token=(hidden)&x=(hidden)");
  assert.deepEqual(JSON.parse(rows[0]!.body!), {
    ...{ note: "my (hidden) and (hidden)", password: "(hidden)", k: "(hidden)" },
  });
  assert.equal(rows[1]!.bodyBytes, 40_000);
  assert.equal(new TextEncoder().encode(rows[1]!.body!).length, 2_048);
  assert.equal(rows[2]!.body, "a?b");
  assert.deepEqual([rows[3]!.body, rows[3]!.bodyBytes], [null, 3]);
});

Deno.test("a flood of bad signatures leaves few rows, and room for the merchant's own", async () => {
  await using shop = await start();
  const { accountId } = shop.merchant;
  for (let i = 0; i < 10; i++) {
    await Promise.all(Array.from({ length: 30 }, () => shop.bad()));
    await keepRequests(shop.deps);
  }
  assert.equal((await shop.rows()).length, 40);
  await shop.send({ target: "/v1/nothing" });
  assert.equal((await shop.rows()).at(-1)?.reason, "not_found");
  assert.equal((await shop.counts(accountId))[0]?.rejected, 301);
});

Deno.test("a day has a bound of rows, after a restart too, and the next day begins anew", async () => {
  await using shop = await start();
  const { deps, clock, merchant: { accountId } } = shop;
  const dayMs = clock.nowMs() - clock.nowMs() % DAY_MS;
  const full = { accountId, dayMs, kept: 999, unproven: 400 };
  await deps.db.write({
    reads: [],
    decide: (view) => view.insertKeyed(RequestLogDays, full),
  });
  await shop.bad();
  await shop.send({ target: "/v1/one" });
  await shop.send({ target: "/v1/two" });
  assert.deepEqual((await shop.rows()).map(({ path }) => path), ["/v1/one"]);
  clock.advance(DAY_MS);
  await shop.bad();
  assert.equal((await shop.rows()).length, 2);
  const days = await deps.db.rows(RequestLogDays, "ORDER BY account_id, day_ms");
  assert.deepEqual(days.map((row) => [row.accountId, row.kept, row.unproven]), [
    [NOBODY, 1, 0],
    [NOBODY, 1, 1],
    [accountId, 1_000, 400],
    [accountId, 1, 1],
  ]);
});

Deno.test("when others have filled the day, an account's first rejections are still kept", async () => {
  await using shop = await start();
  const { deps, clock, merchant: { accountId } } = shop;
  const dayMs = clock.nowMs() - clock.nowMs() % DAY_MS;
  await deps.db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(RequestLogDays, { accountId: NOBODY, dayMs, kept: 9_000, unproven: 0 });
      view.insertKeyed(RequestLogDays, { accountId, dayMs, kept: 19, unproven: 0 });
    },
  });
  await shop.send({ target: "/v1/one" });
  await shop.send({ target: "/v1/two" });
  assert.deepEqual((await shop.rows()).map(({ path }) => path), ["/v1/one"]);
});

Deno.test("housekeeping deletes what is older than seven days", async () => {
  await using shop = await start();
  const { deps, clock, merchant: { accountId } } = shop;
  await shop.bad();
  assert.equal((await shop.rows()).length, 1);
  clock.advance(7 * DAY_MS - HOUR_MS);
  await shop.bad();
  await prune(deps);
  assert.equal((await shop.rows()).length, 2);
  clock.advance(2 * HOUR_MS);
  await prune(deps);
  assert.equal((await shop.rows()).length, 1);
  assert.equal((await shop.counts(accountId)).length, 1);
});

Deno.test("if the database takes no writes, requests are still answered, and counted later", async () => {
  await using shop = await start();
  const { deps, merchant: { accountId } } = shop;
  await shop.send();
  const { write } = deps.db;
  Object.assign(deps.db, { write: () => Promise.reject(new Unavailable("full")) });
  await keepRequests(deps);
  assert.equal((await shop.send()).status, 200);
  Object.assign(deps.db, { write });
  await keepRequests(deps);
  await keepRequests(deps);
  assert.deepEqual(await shop.counts(accountId), [
    { route: "GET /v1/_ping", succeeded: 2, rejected: 0 },
  ]);
  assert.equal(await deps.db.takesWrites(), true);
});
