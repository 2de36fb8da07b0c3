import assert from "node:assert/strict";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { addWebhook } from "../../../src/webhooks/add.ts";
import { EVENT_TYPES } from "../../../src/webhooks/rules/events.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { WebhookDeliveries, WebhookEndpoints } from "../../../src/webhooks/tables/webhooks.ts";
import { makeMerchant, startGateway, type TestGateway } from "../../support/gateway.ts";
import { startReceiver, verify } from "../../support/programs/receiver.ts";
import { noteTest } from "../../support/stage.ts";
import { writeEvents } from "../../support/webhooks.ts";
import { clockedClient, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";
import { caller, faultsOf } from "./_calls.ts";

const ENV = { CPG_WORKER: "false", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
const SHOP = "https://shop.example.com/hooks";
const gateway = await startGateway(ENV);
const strict = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(async () => {
  await gateway.stop();
  await strict.stop();
});

async function start(at: TestGateway = gateway) {
  const merchant = await makeMerchant(at);
  return { ...merchant, call: caller(merchant.api) };
}

Deno.test("a webhook is added, read, listed, changed and removed, and its secret shown once", async () => {
  const { accountId, call } = await start();
  const added = await call("POST", "/v1/webhooks", { url: SHOP });
  const { secret, ...webhook } = added.body.data;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(webhook, {
    ...{ webhook_id: webhook.webhook_id, url: SHOP, events: [...EVENT_TYPES], active: true },
    ...{ disabled_reason: null, failures: 0, paused_until: null, old_secret_until: null },
    created_at: webhook.created_at,
  });
  const one = `/v1/webhooks/${webhook.webhook_id}`;
  assert.deepEqual((await call("GET", one)).body.data, webhook);
  const list = await call("GET", "/v1/webhooks");
  assert.deepEqual([list.body.data, list.body.data_count, list.body.next_cursor], [
    [webhook],
    1,
    null,
  ]);
  const change = { url: `${SHOP}/2`, events: ["withdrawal.failed", "deposit.confirmed"] };
  const changed = { ...webhook, ...change };
  assert.deepEqual((await call("PATCH", one, change)).body.data, changed);
  const again = { events: ["deposit.detected", "deposit.detected"], url: null };
  const twice = { ...changed, events: ["deposit.detected"] };
  assert.deepEqual((await call("PATCH", one, again)).body.data, twice);
  assert.deepEqual((await call("PATCH", one, {})).body.data, twice);
  const [row] = await gateway.deps.db.list(WebhookEndpoints, { accountId });
  assert.deepEqual([row?.url, row?.eventTypes], [`${SHOP}/2`, ["deposit.detected"]]);
  assert.deepEqual((await call("DELETE", one)).body.data, twice);
  assertRefused(await call("GET", one), "not_found");
  assertRefused(await call("DELETE", one), "not_found");
  assert.deepEqual((await call("GET", "/v1/webhooks")).body.data, []);
});

Deno.test("a rotation shows the new secret, and both sign for a day", async () => {
  await using receiver = startReceiver();
  const { call } = await start();
  const { secret, webhook_id } =
    (await call("POST", "/v1/webhooks", { url: receiver.url })).body.data;
  const rotated = (await call("POST", `/v1/webhooks/${webhook_id}/rotate`)).body.data;
  assert.notEqual(rotated.secret, secret);
  assert.match(rotated.old_secret_until, /\+00:00$/);
  const tested = await call("POST", `/v1/webhooks/${webhook_id}/test`, {});
  assert.equal(tested.body.data.delivered, true);
  for (const one of [secret, rotated.secret]) verify(one, receiver.received[0]!);
  assert.equal(receiver.received[0]!.event.type, "ping");
  assert.equal(receiver.received[0]!.id, tested.body.data.event_id);
});

Deno.test("a test never shows what the target answered", async () => {
  await using receiver = startReceiver();
  receiver.answer = () => new Response("a secret of the target", { status: 418 });
  const { call } = await start();
  const { webhook_id } = (await call("POST", "/v1/webhooks", { url: receiver.url })).body.data;
  const { body } = await call("POST", `/v1/webhooks/${webhook_id}/test`);
  const { latency_ms: _, event_id: __, ...data } = body.data;
  assert.deepEqual(data, {
    ...{ webhook_id, url: receiver.url, delivered: false, status: 418, error: "HTTP 418" },
  });
  assert.doesNotMatch(JSON.stringify(body), /a secret/);
});

Deno.test("events wait while a webhook isn't active, and are sent once it is again", async () => {
  const { accountId, call } = await start();
  const { webhook_id: id } = (await call("POST", "/v1/webhooks", { url: SHOP })).body.data;
  const off = (await call("PATCH", `/v1/webhooks/${id}`, { active: false })).body.data;
  assert.deepEqual([off.active, off.disabled_reason], [false, "it was switched off"]);
  const { db } = gateway.deps;
  await writeEvents(gateway.deps, { accountIds: [accountId] });
  const [delivery] = await db.list(WebhookDeliveries, { endpointId: id });
  assert.equal(delivery?.state, "pending");
  await db.write({
    reads: [read(WebhookEndpoints, [id])],
    decide: (view) => {
      noteTest(view);
      const row = view.get(WebhookEndpoints, [id]);
      view.update(WebhookEndpoints, row, { failures: 30, pausedUntilMs: 9_999_999_999_999 });
    },
  });
  const on = (await call("PATCH", `/v1/webhooks/${id}`, { active: true })).body.data;
  const { active, disabled_reason, failures, paused_until } = on;
  assert.deepEqual([active, disabled_reason, failures, paused_until], [true, null, 0, null]);
});

Deno.test("an account has at most 20 webhooks, also if they are added at once", async () => {
  const { accountId, call } = await start();
  const other = await start();
  const all = await Promise.all(
    Array.from({ length: 25 }, (_, i) => call("POST", "/v1/webhooks", { url: `${SHOP}/${i}` })),
  );
  assert.equal(all.filter(({ status }) => status === 200).length, 20);
  const refused = all.find(({ status }) => status !== 200)!;
  assertInvalid(refused, ["url"]);
  assert.match(faultsOf(refused).url!, /20 webhooks/);
  assert.equal((await gateway.deps.db.list(WebhookEndpoints, { accountId })).length, 20);
  assert.equal((await other.call("POST", "/v1/webhooks", { url: SHOP })).status, 200);
});

Deno.test("webhooks are listed newest first, in pages", async () => {
  const { api, call } = await start();
  for (let i = 0; i < 5; i++) await call("POST", "/v1/webhooks", { url: `${SHOP}/${i}` });
  const urls: string[] = [];
  for (let cursor = ""; cursor !== "&cursor=null";) {
    const { body } = await api.get(`/v1/webhooks?limit=2${cursor}`);
    assert.equal(body.has_more, body.data_count === 2);
    urls.push(...body.data.map(({ url }: { url: string }) => url));
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(urls, [4, 3, 2, 1, 0].map((i) => `${SHOP}/${i}`));
  for (const wrong of ["limit=0", "limit=201", "limit=x", "cursor=x"]) {
    assertInvalid(await api.get(`/v1/webhooks?${wrong}`), [wrong.split("=")[0]!]);
  }
});

const PRIVATE = [
  ...["http://shop.example.com/", "https://127.0.0.1/", "https://10.1.2.3/", "https://[::1]/"],
  ...["https://169.254.169.254/latest", "https://localhost/", "https://0x7f000001/"],
  ...["https://shop.example.com:6379/", "https://user:pass@shop.example.com/", "ftp://x.com/"],
  ...["https://vault.internal/", "shop", "https://"],
];

Deno.test("a private or malformed target is a 422 when it is set, and nothing changes", async () => {
  const { call } = await start(strict);
  const { webhook_id } = (await call("POST", "/v1/webhooks", { url: SHOP })).body.data;
  for (const url of PRIVATE) {
    assertInvalid(await call("POST", "/v1/webhooks", { url }), ["url"]);
    assertInvalid(await call("PATCH", `/v1/webhooks/${webhook_id}`, { url }), ["url"]);
  }
  const { body: { data } } = await call("GET", "/v1/webhooks");
  assert.deepEqual(data.map(({ url }: { url: string }) => url), [SHOP]);
});

Deno.test("a private target that an operator has set is refused when it is tested", async () => {
  const { accountId, call } = await start(strict);
  const url = "https://127.0.0.1:9999/hook";
  const order = { accountId, url, eventTypes: null, actor: "test" };
  const { row } = await addWebhook(strict.deps, order);
  const { body } = await call("POST", `/v1/webhooks/${row.id}/test`);
  assert.deepEqual([body.data.delivered, body.data.status], [false, null]);
  assert.match(body.data.error, /^not sent: 127\.0\.0\.1 is not an address/);
});

Deno.test("wrong and unknown fields are a 422 that names them, before the webhook is looked for", async () => {
  const { call } = await start();
  const post = async (body: object) => faultsOf(await call("POST", "/v1/webhooks", body));
  assert.deepEqual(await post({}), { url: "Required" });
  assert.deepEqual(await post({ url: SHOP, event: ["deposit.confirmed"] }), {
    event: "Unknown field; did you mean events?",
  });
  assert.match(
    (await post({ url: SHOP, events: ["deposit.confirm"] })).events!,
    /mean deposit.conf/,
  );
  for (const events of ["deposit.confirmed", [], [1], [["deposit.confirmed"]], {}, "all"]) {
    assert.deepEqual(Object.keys(await post({ url: SHOP, events })), ["events"]);
  }
  assert.deepEqual(Object.keys(await post({ url: `${SHOP}/${"x".repeat(2_000)}` })), ["url"]);
  const patch = async (body: object) => faultsOf(await call("PATCH", "/v1/webhooks/999999", body));
  assert.deepEqual(await patch({ active: "yes" }), { active: "Must be true or false" });
  assert.deepEqual(await patch({ enabled: false, url: 7 }), {
    enabled: "Unknown field",
    url: "Must be a string",
  });
  const missing = "/v1/webhooks/999999";
  const wrong = [["DELETE", missing], ["POST", `${missing}/rotate`], ["POST", `${missing}/test`]];
  for (const [method, target] of wrong) {
    assertInvalid(await call(method!, target!, { force: true }), ["force"]);
    assertRefused(await call(method!, target!), "not_found");
  }
  assertRefused(await call("PATCH", missing, { active: true }), "not_found");
});

Deno.test("another account's webhook is a 404 for everything, and stays as it is", async () => {
  const mine = await start();
  const other = await start();
  const { webhook_id: id } = (await mine.call("POST", "/v1/webhooks", { url: SHOP })).body.data;
  const before = await gateway.deps.db.find(WebhookEndpoints, [id]);
  const one = `/v1/webhooks/${id}`;
  for (const [method, target] of [["GET", one], ["PATCH", one], ["DELETE", one]]) {
    assertRefused(await other.call(method!, target!), "not_found");
  }
  assertRefused(await other.call("PATCH", one, { url: `${SHOP}/theirs` }), "not_found");
  assertRefused(await other.call("POST", `${one}/rotate`), "not_found");
  assertRefused(await other.call("POST", `${one}/test`), "not_found");
  assert.deepEqual((await other.call("GET", "/v1/webhooks")).body.data, []);
  assert.deepEqual(await gateway.deps.db.find(WebhookEndpoints, [id]), before);
});

Deno.test("a copy of a change is refused, and changes nothing", async () => {
  await using receiver = startReceiver();
  const { accountId, api } = await start();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const send = (method: string, target: string, body: object = {}) =>
    api.send({ method, target, timestamp, body: JSON.stringify(body) });
  const add = { url: receiver.url };
  const { webhook_id } = (await send("POST", "/v1/webhooks", add)).body.data;
  assertRefused(await send("POST", "/v1/webhooks", add), "replayed_request");
  const one = `/v1/webhooks/${webhook_id}`;
  const changes = [
    ["POST", `${one}/rotate`],
    ["POST", `${one}/test`],
    ["PATCH", one],
    ["DELETE", one],
  ];
  for (const [method, target] of changes) {
    assert.equal((await send(method!, target!)).status, 200);
    assertRefused(await send(method!, target!), "replayed_request");
  }
  assert.equal(receiver.received.length, 1);
  assert.deepEqual(await gateway.deps.db.list(WebhookEndpoints, { accountId }), []);
});

Deno.test("each change is in the audit log, with the key as actor", async () => {
  const { call, credentials } = await start();
  const { webhook_id: id } = (await call("POST", "/v1/webhooks", { url: SHOP })).body.data;
  const one = `/v1/webhooks/${id}`;
  await call("PATCH", one, { url: `${SHOP}/2`, active: false });
  await call("PATCH", one, { active: true });
  await call("POST", `${one}/rotate`);
  await call("POST", `${one}/test`);
  await call("DELETE", one);
  const page = { subject: `webhook:${id}`, actor: null, cursor: null, limit: 50 };
  const rows = await auditPage(gateway.deps.db, page);
  assert.deepEqual(
    rows.map(({ action }) => action.replace("webhook.", "")).toReversed(),
    ["added", "changed", "disabled", "enabled", "rotated", "tested", "removed"],
  );
  const by = new Set(rows.map(({ actor, ip }) => `${actor} ${ip}`));
  assert.deepEqual([...by], [`api:${credentials.keyId} 127.0.0.1`]);
  const { before, after } = rows.at(-2)!.detail as Record<string, { url: string }>;
  assert.deepEqual([before?.url, after?.url], [SHOP, `${SHOP}/2`]);
});

Deno.test("a webhook whose row somebody changed in the database is not shown", async () => {
  const { call } = await start();
  const { webhook_id: id } = (await call("POST", "/v1/webhooks", { url: SHOP })).body.data;
  const sql = "UPDATE webhook_endpoints SET url = 'https://evil.example.com/' WHERE id = ?";
  await gateway.deps.db.execute([{ sql, args: [id] }]);
  for (const target of ["/v1/webhooks", `/v1/webhooks/${id}`]) {
    const { status, body } = await call("GET", target);
    assert.equal(status, 503);
    assert.doesNotMatch(JSON.stringify(body), /evil/);
  }
});

Deno.test("an account tests its webhooks 20 times a minute, whichever key asks", async () => {
  await using receiver = startReceiver();
  await using still = await startClockedGateway(ENV);
  const { accountId, api } = await makeClockedMerchant(still);
  const { row, secret } = await createApiKey(
    still.deps,
    {
      ...{ accountId, label: "second", permissions: ["manage_webhooks"], ipList: [] },
      ...{ rateLimit: 600, actor: "test" },
    } as const,
  );
  const second = clockedClient(still, { keyId: row.keyId, secret });
  const [one, two] = [caller(api), caller(second)];
  const { webhook_id } = (await one("POST", "/v1/webhooks", { url: receiver.url })).body.data;
  const target = `/v1/webhooks/${webhook_id}/test`;
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one : two)("POST", target)),
  );
  assert.equal(all.filter(({ status }) => status === 200).length, 20);
  assert.equal(receiver.received.length, 20);
  const late = await two("POST", target);
  assertRefused(late, "rate_limited");
  const retryAfterS = Number(late.headers.get("retry-after"));
  assert.equal(retryAfterS, 3);
  still.clock.advance(retryAfterS * 1000);
  assert.equal((await two("POST", target)).status, 200);
});
