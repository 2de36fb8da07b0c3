import assert from "node:assert/strict";
import { recordEvent } from "../../../src/books/records.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { EVENT_TYPES, type EventType } from "../../../src/webhooks/rules/events.ts";
import { sampleData } from "../../../src/webhooks/rules/sample_events.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { WebhookDeliveries } from "../../../src/webhooks/tables/webhooks.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { startReceiver, verify } from "../../support/programs/receiver.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";
import { caller, faultsOf } from "./_calls.ts";

const ENV = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
const SHOP = "https://shop.example.com/hooks";
const gateway = await startClockedGateway(ENV);
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;

async function start() {
  const merchant = await makeClockedMerchant(gateway);
  return { ...merchant, call: caller(merchant.api) };
}

async function record({ db, clock }: Deps, accountId: number, types: readonly EventType[]) {
  const nowMs = clock.nowMs();
  await db.write({
    reads: [],
    decide: (view) =>
      types.forEach((type) => {
        const data = sampleData(type, nowMs) as Record<string, unknown>;
        recordEvent(view, { accountId, type, data, nowMs });
      }),
  });
  return (await db.list(Events, { accountId })).map(({ eventId }) => eventId);
}

Deno.test("events are listed newest first as their webhooks were sent, in pages", async () => {
  const { accountId, api } = await start();
  const other = await start();
  const ids = await record(deps, accountId, EVENT_TYPES);
  await record(deps, other.accountId, EVENT_TYPES);
  const seen: { id: string; type: string }[] = [];
  for (let cursor = ""; cursor !== "&cursor=null";) {
    const { body } = await api.get(`/v1/events?limit=2${cursor}`);
    assert.equal(body.has_more, body.data_count === 2);
    seen.push(...body.data);
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen.map(({ id }) => id), ids.toReversed());
  assert.deepEqual(seen.map(({ type }) => type), EVENT_TYPES.toReversed());
  const [row] = await deps.db.list(Events, { accountId });
  assert.deepEqual(seen.at(-1), row!.payload);
});

Deno.test("a cursor is taken only from a page, and every parameter is checked", async () => {
  const { api } = await start();
  for (const cursor of ["7", "x", "", "ff", "6576656e7420", "evt_1", "-1"]) {
    assertInvalid(await api.get(`/v1/events?cursor=${cursor}`), ["cursor"]);
  }
  for (const limit of ["0", "201", "1.5", ""]) {
    assertInvalid(await api.get(`/v1/events?limit=${limit}`), ["limit"]);
  }
  assert.deepEqual(faultsOf(await api.get("/v1/events?curser=1")), {
    curser: "Unknown parameter; did you mean cursor?",
  });
  assertInvalid(await api.get("/v1/events/evt_none?limit=1"), ["limit"]);
});

Deno.test("events and webhooks are also one CSV, of the account's own", async () => {
  const { accountId, credentials } = await start();
  const other = await start();
  const webhook = await makeWebhook(deps, { url: SHOP, accountId });
  await makeWebhook(deps, { url: `${SHOP}/theirs`, accountId: other.accountId });
  const ids = await record(deps, accountId, ["deposit.detected", "withdrawal.failed"]);
  await record(deps, other.accountId, EVENT_TYPES);
  const csv = async (target: string) => {
    const call = { method: "GET", target, timestamp: timestampOf(clock) };
    const headers = { ...signedHeaders(credentials, call), Accept: "text/csv" };
    const reply = await fetch(`${gateway.url}${target}`, { headers });
    assert.match(reply.headers.get("content-type")!, /^text\/csv/);
    return (await reply.text()).trimEnd().split("\r\n");
  };
  const [head, ...lines] = await csv("/v1/events");
  assert.equal(head, "id,type,timestamp,data");
  assert.deepEqual(lines.map((line) => line.split(",")[0]), ids.toReversed());
  const data = sampleData("deposit.detected", clock.nowMs());
  const cell = JSON.stringify(data).replaceAll('"', '""');
  assert.equal(lines[1], `${ids[0]},deposit.detected,2026-01-31T12:00:00+00:00,"${cell}"`);
  const [names, ...webhooks] = await csv("/v1/webhooks");
  assert.match(names!, /^webhook_id,url,events,active,/);
  assert.equal(webhooks.length, 1);
  assert.ok(webhooks[0]!.startsWith(`${webhook.id},${SHOP},"${EVENT_TYPES.join(",")}",true,`));
});

Deno.test("an event is read with its deliveries, one for each webhook", async () => {
  const { accountId, call } = await start();
  const first = await makeWebhook(deps, { url: SHOP, accountId });
  const second = await makeWebhook(deps, { url: `${SHOP}/2`, accountId });
  const [id] = await record(deps, accountId, ["deposit.confirmed"]);
  const { body: { data } } = await call("GET", `/v1/events/${id}`);
  assert.deepEqual([data.id, data.type], [id, "deposit.confirmed"]);
  const pending = {
    ...{ state: "pending", attempts: 0, next_try_at: "2026-01-31T12:00:00+00:00" },
    ...{ last_status: null, last_error: null, settled_at: null },
  };
  assert.deepEqual(data.deliveries, [
    { webhook_id: first.id, ...pending },
    { webhook_id: second.id, ...pending },
  ]);
});

Deno.test("an event is sent again to the webhooks that receive its type, and its deliveries say so", async () => {
  await using live = await startGateway(ENV);
  await using receiver = startReceiver();
  const merchant = await makeMerchant(live);
  const { accountId } = merchant;
  const call = caller(merchant.api);
  const [id] = await record(live.deps, accountId, ["deposit.confirmed"]);
  const { secret } = await makeWebhook(live.deps, { url: receiver.url, accountId });
  await makeWebhook(live.deps, { url: SHOP, accountId, eventTypes: ["deposit.detected"] });
  const { body: { data } } = await call("POST", `/v1/events/${id}/redeliver`);
  assert.deepEqual(data, { event_id: id, redelivered: 1 });
  for (;;) {
    const { body } = await call("GET", `/v1/events/${id}`);
    const [{ state, last_status, last_error, attempts, next_try_at }] = body.data.deliveries;
    assert.equal(last_error, null);
    if (state === "pending") continue;
    assert.deepEqual([state, last_status, attempts, next_try_at], ["delivered", 200, 1, null]);
    break;
  }
  assert.deepEqual(receiver.received.map((one) => one.id), [id]);
  verify(secret, receiver.received[0]!);
  const page = { subject: `event:${id}`, actor: null, cursor: null, limit: 5 };
  const [row] = await auditPage(live.deps.db, page);
  assert.deepEqual([row?.action, row?.actor, row?.detail], [
    "webhook.redelivered",
    `api:${merchant.credentials.keyId}`,
    { deliveries: 1 },
  ]);
});

Deno.test("an event that no webhook receives is not sent again, and the answer says so", async () => {
  const { accountId, call } = await start();
  const [id] = await record(deps, accountId, ["withdrawal.failed"]);
  await makeWebhook(deps, { url: SHOP, accountId, eventTypes: ["deposit.confirmed"] });
  const reply = await call("POST", `/v1/events/${id}/redeliver`);
  assertInvalid(reply, ["event_id"]);
  assert.match(faultsOf(reply).event_id!, /No webhook .*receives withdrawal\.failed/);
});

Deno.test("another account's event is a 404, and is not sent again", async () => {
  const mine = await start();
  const other = await start();
  await makeWebhook(deps, { url: SHOP, accountId: mine.accountId });
  await makeWebhook(deps, { url: SHOP, accountId: other.accountId });
  const [id] = await record(deps, mine.accountId, ["deposit.confirmed"]);
  const before = await deps.db.rows(WebhookDeliveries, "");
  for (const target of [`/v1/events/${id}`, "/v1/events/evt_none", "/v1/events/1"]) {
    assertRefused(await other.call("GET", target), "not_found");
    assertRefused(await other.call("POST", `${target}/redeliver`), "not_found");
  }
  assert.deepEqual((await other.call("GET", "/v1/events")).body.data, []);
  assert.deepEqual(await deps.db.rows(WebhookDeliveries, ""), before);
});

Deno.test("an account sends events again 60 times a minute, and a copy of a request never", async () => {
  const { accountId, api, call } = await start();
  await makeWebhook(deps, { url: SHOP, accountId });
  const [id] = await record(deps, accountId, ["deposit.confirmed"]);
  const target = `/v1/events/${id}/redeliver`;
  assert.equal((await api.send({ method: "POST", target })).status, 200);
  assertRefused(await api.send({ method: "POST", target }), "replayed_request");
  const all = await Promise.all(Array.from({ length: 70 }, () => call("POST", target)));
  assert.equal(all.filter(({ status }) => status === 200).length, 59);
  const late = await call("POST", target);
  assertRefused(late, "rate_limited");
  assert.equal(late.headers.get("retry-after"), "1");
  clock.advance(1000);
  assert.equal((await call("POST", target)).status, 200);
  const other = await start();
  assertRefused(await other.call("POST", target), "not_found");
});

Deno.test("an event that somebody wrote into the database is not shown", async () => {
  const { accountId, call } = await start();
  const [id] = await record(deps, accountId, ["deposit.confirmed"]);
  const sql = "UPDATE events SET payload = replace(payload, '0.01', '9999') WHERE event_id = ?";
  await deps.db.execute([{ sql, args: [id!] }]);
  for (const target of ["/v1/events", `/v1/events/${id}`]) {
    const { status, body } = await call("GET", target);
    assert.equal(status, 503);
    assert.doesNotMatch(JSON.stringify(body), /9999/);
  }
});
