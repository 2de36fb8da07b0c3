import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import {
  enableWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from "../../../src/webhooks/manage_webhooks.ts";
import { prune } from "../../../src/upkeep/prune.ts";
import {
  redeliverBetween,
  redeliverDead,
  redeliverEvent,
} from "../../../src/webhooks/redeliver.ts";
import { testWebhook } from "../../../src/webhooks/send_test.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import {
  WebhookAttempts,
  WebhookDeliveries,
  WebhookEndpoints,
} from "../../../src/webhooks/tables/webhooks.ts";
import { createSender } from "../../../src/webhooks/post/send.ts";
import { WebhookDeliverer } from "../../../src/webhooks/workers/deliver_webhooks.ts";
import { startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startReceiver, verify } from "../../support/programs/receiver.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

const LIVE = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
const BY_HAND = { ...LIVE, CPG_WORKER: "false" };
const DAY_MS = 86_400_000;

/** Runs the worker when the test says so, with the test's clock. */
function handWorker(deps: Deps) {
  const startMs = Date.now();
  const clock = { aheadMs: 0, nowMs: () => startMs + clock.aheadMs };
  const moved = { ...deps, clock };
  const deliverer = new WebhookDeliverer(moved, createGatewayMetrics());
  const round = async (aheadMs: number) => {
    clock.aheadMs += aheadMs;
    await deliverer.look();
    await deliverer.idle();
  };
  return { deps: moved, round };
}

const deliveries = (deps: Deps) => deps.db.rows(WebhookDeliveries, "ORDER BY event_id");

Deno.test("an event is sent within a second of its commit, once, and the public library verifies it", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(LIVE);
  const { deps } = gateway;
  const { accountId, secret } = await makeWebhook(deps, { url: receiver.url });
  using stopwatch = startStopwatch();
  await writeEvents(deps, { accountIds: [accountId] });
  await eventually(() => Promise.resolve(receiver.received.length), { until: (n) => n > 0 });
  assert.ok(stopwatch.ms() < 1_000);
  await eventually(() => deliveries(deps), { until: ([row]) => row!.state === "delivered" });
  const [received] = receiver.received;
  verify(secret, received!);
  const [stored] = await deps.db.rows(Events, "");
  assert.equal(received!.id, stored!.eventId);
  assert.deepEqual(received!.event, stored!.payload);
  assert.equal(received!.headers["content-type"], "application/json");
  assert.equal(receiver.received.length, 1);
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  assert.match(text, /cpg_webhook_attempts_total\{result="delivered"\} 1/);
  assert.match(text, /cpg_webhooks_pending 0/);
});

Deno.test("answers that arrive together are recorded together, each with its attempt", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { db } = gateway.deps;
  const { accountId } = await makeWebhook(gateway.deps, { url: receiver.url });
  await writeEvents(gateway.deps, { accountIds: Array.from({ length: 1_000 }, () => accountId) });
  let writes = 0;
  const counting: Deps["db"] = { ...db, write: (unit) => (writes++, db.write(unit)) };
  await handWorker({ ...gateway.deps, db: counting }).round(0);
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1_000);
  assert.ok((await deliveries(gateway.deps)).every(({ state }) => state === "delivered"));
  assert.equal((await db.rows(WebhookAttempts, "")).length, 1_000);
  assert.ok(writes < 100, `${writes} writes`);
});

Deno.test("endpoints get the types they chose, of their own account, from when they were added", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const first = await makeWebhook(deps, { url: receiver.url });
  const { accountId } = first;
  const failed = await makeWebhook(deps, {
    url: receiver.url,
    accountId,
    eventTypes: ["withdrawal.failed"],
  });
  const other = await makeWebhook(deps, { url: receiver.url });
  await writeEvents(deps, { accountIds: [accountId] });
  await writeEvents(deps, { accountIds: [accountId], type: "withdrawal.failed" });
  await makeWebhook(deps, { url: receiver.url, accountId });
  await round(0);
  const rows = await deliveries(deps);
  assert.deepEqual(rows.map((row) => row.endpointId), [first.id, first.id, failed.id]);
  assert.ok(rows.every((row) => row.state === "delivered" && row.endpointId !== other.id));
});

Deno.test("a failure is sent again by the schedule with the same id and bytes, and each attempt is logged", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId } = await makeWebhook(deps, { url: receiver.url });
  receiver.answer = () => new Response("broken", { status: 500 });
  await writeEvents(deps, { accountIds: [accountId] });
  await round(0);
  await round(3_500);
  assert.equal(receiver.received.length, 1);
  await round(3_000);
  assert.equal(receiver.received.length, 2);
  receiver.answer = () => new Response("fine");
  await round(40_000);
  assert.equal(receiver.received.length, 3);
  assert.equal(new Set(receiver.received.map(({ id, body }) => id + body)).size, 1);
  const [row] = await deliveries(deps);
  assert.deepEqual([row!.state, row!.attempts], ["delivered", 3]);
  const log = await deps.db.rows(WebhookAttempts, "ORDER BY id");
  assert.deepEqual(log.map(({ status, error, response }) => [status, error, response]), [
    [500, "HTTP 500", "broken"],
    [500, "HTTP 500", "broken"],
    [200, null, "fine"],
  ]);
});

Deno.test("after the last attempt an event is dead, with an alert, and resent only on request", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId } = await makeWebhook(deps, { url: receiver.url });
  receiver.answer = () => new Response(null, { status: 500 });
  await writeEvents(deps, { accountIds: [accountId] });
  for (let i = 0; i < 12; i++) await round(30 * 3_600_000);
  assert.equal(receiver.received.length, 10);
  assert.equal((await deliveries(deps))[0]!.state, "dead");
  const [alert] = await deps.db.rows(Alerts, "");
  assert.equal(alert!.kind, "webhook_dead");
  await prune({ ...deps, clock: { nowMs: () => Date.now() + 400 * DAY_MS } });
  receiver.answer = () => new Response();
  assert.equal(await redeliverDead(deps, { accountId: accountId + 1, actor: "test" }), 0);
  assert.equal(await redeliverDead(deps, { actor: "test" }), 1);
  await round(0);
  assert.equal((await deliveries(deps))[0]!.state, "delivered");
});

Deno.test("410 disables the endpoint with an alert; waiting events are kept and sent once enabled", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId, id } = await makeWebhook(deps, { url: receiver.url });
  receiver.answer = () => new Response(null, { status: 410 });
  await writeEvents(deps, { accountIds: [accountId] });
  await round(0);
  await writeEvents(deps, { accountIds: [accountId] });
  await round(DAY_MS);
  assert.equal(receiver.received.length, 1);
  const [endpoint] = await deps.db.rows(WebhookEndpoints, "");
  assert.equal(endpoint!.disabledReason, "it answered 410 Gone");
  assert.equal((await deps.db.rows(Alerts, "WHERE open = 1"))[0]!.kind, "webhook_disabled");
  receiver.answer = () => new Response();
  const stranger = { id, accountId: accountId + 1, actor: "test" };
  await assert.rejects(enableWebhook(deps, stranger), /There is no webhook/);
  await enableWebhook(deps, { id, accountId, actor: "test" });
  assert.equal((await deps.db.rows(Alerts, "WHERE open = 1")).length, 0);
  await round(0);
  assert.deepEqual((await deliveries(deps)).map((row) => row.state), ["delivered", "delivered"]);
});

Deno.test("during a rotation both secrets verify, and after a day only the new one", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId, id, secret: before } = await makeWebhook(deps, { url: receiver.url });
  const { secret: after, row } = await rotateWebhookSecret(deps, { id, actor: "test" });
  assert.ok(![row.secretSealed, row.oldSecretSealed].some((text) => text?.includes("whsec_")));
  await writeEvents(deps, { accountIds: [accountId] });
  await round(0);
  verify(before, receiver.received[0]!);
  verify(after, receiver.received[0]!);
  const later = { ...deps, clock: { nowMs: () => Date.now() + DAY_MS + 1000 } };
  const { attempt } = await testWebhook(later, { id, actor: "test" });
  assert.equal(attempt.error, null);
  const ping = receiver.received[1]!;
  assert.deepEqual([ping.event.type, ping.event.data], ["ping", { webhook_id: id }]);
  assert.equal(ping.headers["webhook-signature"]!.split(" ").length, 1);
  assert.throws(() => verify(before, ping));
});

Deno.test("events are resent one by one or by their time, also to endpoints that came later", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId, id } = await makeWebhook(deps, { url: receiver.url });
  const nowMs = deps.clock.nowMs();
  for (const n of [3, 2, 1]) {
    await writeEvents(deps, { accountIds: [accountId], nowMs: nowMs - n * 60_000 });
  }
  await round(0);
  const [first, second] = (await deps.db.rows(Events, "ORDER BY created_at_ms")).map((row) =>
    row.eventId
  );
  const actor = "test";
  const strangers = { accountId: accountId + 1, actor };
  await assert.rejects(redeliverEvent(deps, { eventId: first!, ...strangers }), /no event/);
  assert.equal(await redeliverEvent(deps, { eventId: first!, actor }), 1);
  await round(0);
  assert.deepEqual(receiver.received.map((received) => received.id).slice(3), [first]);
  await removeWebhook(deps, { id, actor });
  assert.deepEqual(await deliveries(deps), []);
  await makeWebhook(deps, { url: receiver.url, accountId });
  const range = { fromMs: nowMs - 130_000, toMs: nowMs - 110_000, actor };
  assert.equal(await redeliverBetween(deps, range), 1);
  await round(0);
  assert.deepEqual(receiver.received.map((received) => received.id).slice(4), [second]);
});

Deno.test("an account sends all its events again six times a minute at most, an operator as often as they like", async () => {
  await using gateway = await startGateway(BY_HAND);
  const { deps } = gateway;
  const { accountId } = await makeWebhook(deps, { url: "http://127.0.0.1:9/hook" });
  await writeEvents(deps, { accountIds: [accountId] });
  const own = { accountId, actor: "user:1" };
  const range = { fromMs: 0, toMs: Date.now() + 1_000 };
  for (let i = 0; i < 3; i++) {
    assert.equal(await redeliverBetween(deps, { ...own, ...range }), 1);
    await redeliverDead(deps, own);
  }
  await assert.rejects(redeliverBetween(deps, { ...own, ...range }), { name: "TooManyTries" });
  await assert.rejects(redeliverDead(deps, own), { name: "TooManyTries" });
  for (let i = 0; i < 10; i++) await redeliverBetween(deps, { actor: "cli", ...range });
});

Deno.test("attempts and delivered events are deleted after thirty days, undelivered ones stay", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId } = await makeWebhook(deps, { url: receiver.url });
  await writeEvents(deps, { accountIds: [accountId] });
  await round(0);
  receiver.answer = () => new Response(null, { status: 500 });
  await writeEvents(deps, { accountIds: [accountId] });
  await round(0);
  const at = (days: number) => ({ ...deps, clock: { nowMs: () => Date.now() + days * DAY_MS } });
  await prune(at(29));
  assert.equal((await deps.db.rows(Events, "")).length, 2);
  await prune(at(31));
  assert.equal((await deps.db.rows(WebhookAttempts, "")).length, 0);
  assert.deepEqual((await deliveries(deps)).map((row) => row.state), ["pending"]);
  assert.equal((await deps.db.rows(Events, "")).length, 1);
});

Deno.test("an endpoint that only fails is paused, tried with one event, and recovers by itself", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { deps, round } = handWorker(gateway.deps);
  const { accountId } = await makeWebhook(deps, { url: receiver.url });
  receiver.answer = () => new Response(null, { status: 503 });
  await writeEvents(deps, { accountIds: Array(60).fill(accountId) });
  await round(0);
  const first = receiver.received.length;
  assert.ok(first >= 20 && first <= 36, `${first} attempts before the pause`);
  await round(0);
  assert.equal(receiver.received.length, first);
  await round(300_000);
  assert.equal(receiver.received.length, first + 1);
  receiver.answer = () => new Response();
  await round(300_000);
  assert.ok((await deliveries(deps)).every((row) => row.state === "delivered"));
});

Deno.test("without permission for private targets nothing reaches this machine, and the log says why", async () => {
  await using receiver = startReceiver();
  await using gateway = await startGateway(BY_HAND);
  const { accountId } = await makeWebhook(gateway.deps, { url: receiver.url });
  await writeEvents(gateway.deps, { accountIds: [accountId] });
  const strict = createSender({ isPrivateAllowed: false });
  const logged: unknown[] = [];
  const log = { ...gateway.deps.log, info: (...line: unknown[]) => void logged.push(line) };
  const { deps, round } = handWorker({ ...gateway.deps, webhooks: strict, log });
  await round(0);
  strict.close();
  assert.equal(receiver.received.length, 0);
  const [attempt] = await deps.db.rows(WebhookAttempts, "");
  const { error } = attempt!;
  assert.match(error!, /not an https address/);
  const event_id = (await deps.db.rows(Events, ""))[0]!.eventId;
  assert.match(event_id, /^evt_/);
  assert.deepEqual(logged, [["webhook failed", { webhook_id: 1, event_id, status: null, error }]]);
});

Deno.test("an account has at most twenty webhooks: each event is written once for each of them", async () => {
  await using gateway = await startGateway(LIVE);
  const { deps } = gateway;
  const url = "http://127.0.0.1:9";
  const { accountId } = await makeWebhook(deps, { url });
  const asked = Array.from(
    { length: 40 },
    (_, i) => makeWebhook(deps, { url: `${url}/${i}`, accountId }),
  );
  const made = (await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled");
  assert.equal(made.length, 19, "however many are asked for at once");
  await assert.rejects(
    makeWebhook(deps, { url: `${url}/20`, accountId }),
    { message: `Account ${accountId} has 20 webhooks, and may have at most 20` },
  );
  await makeWebhook(deps, { url });
});
