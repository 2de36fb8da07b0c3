import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { failingWebhooks } from "../../../src/webhooks/reads/failing.ts";
import {
  WebhookAttempts,
  WebhookDeliveries,
  type WebhookEndpointRow,
  WebhookEndpoints,
} from "../../../src/webhooks/tables/webhooks.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { startReceiver } from "../../support/programs/receiver.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";

const ENV = { CPG_WORKER: "false", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
const FAR_MS = 8_000_000_000_000;
const AGAIN = "/webhooks/1/deliveries/1/again";

async function change({ db }: Deps, fields: Partial<WebhookEndpointRow>): Promise<void> {
  await db.write({
    reads: [read(WebhookEndpoints, [1])],
    decide: (view) => void view.update(WebhookEndpoints, view.get(WebhookEndpoints, [1]), fields),
  });
}

async function start() {
  const gateway = await startGateway(ENV);
  const receiver = startReceiver();
  const { deps, url } = gateway;
  const { accountId } = await makeWebhook(deps, { url: receiver.url });
  await writeEvents(deps, { accountIds: [accountId] });
  const { token } = await makeLogin(deps, { accountId });
  const again = async () => {
    const sent = await dashboardFetch(url, { path: AGAIN, token, form: { csrf: csrfOf(token) } });
    assert.equal(sent.status, 303);
    const path = sent.headers.get("location")!.replace(/^\/dashboard/, "");
    return await (await dashboardFetch(url, { path, token })).text();
  };
  return {
    deps,
    url,
    accountId,
    token,
    receiver,
    again,
    delivery: () => deps.db.get(WebhookDeliveries, [1, 1]),
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

Deno.test("Send again tries at once and shows the answer, whatever state the webhook is in", async () => {
  await using shop = await start();
  const { deps, receiver } = shop;
  const states: Partial<WebhookEndpointRow>[] = [
    {},
    { failures: 30, pausedUntilMs: FAR_MS },
    { disabledAtMs: 1, disabledReason: "it answered 410 Gone", failures: 1 },
  ];
  for (const [i, state] of states.entries()) {
    await change(deps, state);
    receiver.answer = () => new Response(`no room ${i}`, { status: 507 });
    const refused = await shop.again();
    assert.equal(receiver.received.length, 2 * i + 1);
    assert.match(refused, new RegExp(`<pre>no room ${i}</pre>`));
    assert.equal((await shop.delivery()).state, "pending");
    receiver.answer = () => new Response(`thanks ${i}`);
    assert.match(await shop.again(), new RegExp(`<pre>thanks ${i}</pre>`));
    assert.equal(receiver.received.length, 2 * i + 2);
    assert.equal((await shop.delivery()).state, "delivered");
  }
  const [first] = receiver.received;
  assert.deepEqual(new Set(receiver.received.map(({ id }) => id)), new Set([first!.id]));
});

Deno.test("an event sent again is left to the worker if the program ends meanwhile", async () => {
  await using shop = await start();
  const { deps, receiver } = shop;
  let meanwhile: Awaited<ReturnType<typeof shop.delivery>> | undefined;
  receiver.answer = async () => {
    meanwhile = await shop.delivery();
    return new Response("ok");
  };
  await shop.again();
  assert.equal(meanwhile?.state, "pending");
  assert.ok(meanwhile.nextTryAtMs > deps.clock.nowMs(), "the worker doesn't send it as well");
});

Deno.test("a failing webhook says so, since when, and what it answered last", async () => {
  await using shop = await start();
  const { deps, receiver, accountId } = shop;
  const failing = () => failingWebhooks(deps.db, { accountId, limit: 5 });
  assert.deepEqual(await failing(), []);
  receiver.answer = () => new Response("first", { status: 500 });
  await shop.again();
  const [once] = await failing();
  receiver.answer = () => new Response("second", { status: 502 });
  await shop.again();
  const [twice] = await failing();
  assert.equal(twice!.endpoint.failures, 2);
  assert.equal(twice!.endpoint.failingSinceMs, once!.endpoint.failingSinceMs);
  assert.deepEqual(
    [once!.last, twice!.last].map((last) => [last?.status, last?.error, last?.response]),
    [[500, "HTTP 500", "first"], [502, "HTTP 502", "second"]],
  );
  assert.deepEqual(await failingWebhooks(deps.db, { accountId: accountId + 1, limit: 5 }), []);
  assert.equal((await failingWebhooks(deps.db, { accountId: null, limit: 5 })).length, 1);
  const text = async (path: string) =>
    await (await dashboardFetch(shop.url, { path, token: shop.token })).text();
  const pages = ["/webhooks", "/webhooks/deliveries", "/webhooks/1/deliveries/1"];
  for (const path of pages) assert.match(await text(path), /class="status bad">failing</, path);
  assert.match(await text("/webhooks/1"), /Failed 2 times in a row since <time[^]*?HTTP 502/);
  receiver.answer = () => new Response("ok");
  await shop.again();
  for (const path of pages) assert.doesNotMatch(await text(path), /failing</, path);
  assert.deepEqual(await failing(), []);
  assert.equal((await deps.db.get(WebhookEndpoints, [1])).failingSinceMs, null);
});

Deno.test("another account's event is sent by nobody else", async () => {
  await using shop = await start();
  const { deps, url, receiver } = shop;
  const other = await makeWebhook(deps, { url: receiver.url });
  const { token } = await makeLogin(deps, {
    accountId: other.accountId,
    email: "other@example.com",
  });
  for (const path of [AGAIN, "/webhooks/2/deliveries/1/again"]) {
    const answer = await dashboardFetch(url, { path, token, form: { csrf: csrfOf(token) } });
    assert.equal(answer.status, 404, path);
  }
  assert.equal(receiver.received.length, 0);
  assert.deepEqual(await deps.db.rows(WebhookAttempts, ""), []);
});
