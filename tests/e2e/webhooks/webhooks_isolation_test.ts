import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { type Gateway, openGateway } from "../../../src/app/gateway.ts";
import { WebhookAttempts, WebhookDeliveries } from "../../../src/webhooks/tables/webhooks.ts";
import { WebhookDeliverer } from "../../../src/webhooks/workers/deliver_webhooks.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { TEST_MASTER_KEY } from "../../support/database/database.ts";
import { startRawReceiver, startReceiver } from "../../support/programs/receiver.ts";
import { startSqld } from "../../support/database/sqld.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

const LIVE = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
const ENDPOINTS = 50;
const HANGING = 5;
const EVENTS = 10_000;
const WITHIN_MS = 60_000;

Deno.test("of 10,000 events to 50 endpoints of which 5 hang, the 45 healthy ones get theirs soon", async () => {
  await using healthy = startReceiver();
  const counts = new Map<string, number>();
  healthy.answer = (_, { url }) => {
    const { pathname } = new URL(url);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    healthy.received.length = 0;
    return new Response();
  };
  await using hanging = startRawReceiver(async (conn) => {
    while (await conn.read(new Uint8Array(4096)) !== null);
  });
  await using gateway = await startGateway(LIVE);
  const { deps } = gateway;
  const accountIds: number[] = [];
  for (let i = 0; i < ENDPOINTS; i++) {
    const { id } = await createAccount(deps, { name: `a${i}`, actor: "test" });
    const base = i < HANGING ? hanging.url : healthy.url;
    await makeWebhook(deps, { url: base.replace("/hook", `/${i}`), accountId: id });
    accountIds.push(id);
  }
  const startedAtMs = performance.now();
  const each = EVENTS / ENDPOINTS;
  for (let n = 0; n < each; n += 10) {
    await writeEvents(deps, { accountIds: Array(10).fill(accountIds).flat() });
  }
  await eventually(() => Promise.resolve([...counts.values()]), {
    until: (done) => done.length === ENDPOINTS - HANGING && done.every((count) => count >= each),
    withinMs: WITHIN_MS,
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  const total = each * (ENDPOINTS - HANGING);
  // deno-lint-ignore no-console -- the figure is part of what this shows
  console.log(
    `${total} events to ${ENDPOINTS - HANGING} healthy endpoints beside ${HANGING} that hang: ` +
      `${seconds.toFixed(1)} s, ${Math.round(total / seconds)} a second`,
  );
  assert.ok([...counts.values()].every((count) => count === each), "none is sent twice");
  assert.ok(hanging.count() > 0);
});

const HOSTILE = 2;
const WEBHOOKS_OF_ONE = 20;
const ANSWERS_BEFORE = 40;

Deno.test("accounts whose many receivers are first quick and then hang delay no other account", async () => {
  const held = Promise.withResolvers<void>();
  let count = 0;
  await using trap = startReceiver();
  trap.answer = async () => {
    if (++count > HOSTILE * WEBHOOKS_OF_ONE * ANSWERS_BEFORE) await held.promise;
    return new Response();
  };
  await using healthy = startReceiver();
  await using gateway = await startGateway(LIVE);
  const { deps } = gateway;
  const accountIds: number[] = [];
  for (let i = 0; i < HOSTILE; i++) {
    const { id } = await createAccount(deps, { name: `hostile${i}`, actor: "test" });
    accountIds.push(id);
    for (let n = 0; n < WEBHOOKS_OF_ONE; n++) {
      await makeWebhook(deps, { url: trap.url, accountId: id });
    }
  }
  const { id: accountId } = await createAccount(deps, { name: "healthy", actor: "test" });
  await makeWebhook(deps, { url: healthy.url, accountId });
  for (let n = 0; n < 10; n++) {
    await writeEvents(deps, { accountIds: Array(10).fill(accountIds).flat() });
  }
  const hung = () => count - HOSTILE * WEBHOOKS_OF_ONE * ANSWERS_BEFORE;
  await eventually(() => Promise.resolve(hung()), { until: (now) => now >= 128 });
  using stopwatch = startStopwatch();
  await writeEvents(deps, { accountIds: [accountId] });
  await eventually(() => Promise.resolve(healthy.received.length), {
    until: (received) => received === 1,
  });
  const tookMs = stopwatch.ms();
  held.resolve();
  assert.ok(tookMs < 6_000, `the other account's event took ${Math.round(tookMs)} ms`);
});

Deno.test("an event that was committed before a kill is delivered after the restart", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-webhook-kill-" });
  const env = {
    ...LIVE,
    CPG_DATABASE_URL: `file:${folder}/cpg.db`,
    CPG_MASTER_KEY: TEST_MASTER_KEY,
  };
  try {
    // It has the request and never answers.
    let isDown = true;
    await using receiver = startReceiver();
    const asked = Promise.withResolvers<void>();
    const never = new AbortController();
    receiver.answer = async () => {
      asked.resolve();
      if (isDown) {
        await new Promise<void>((resolve) =>
          never.signal.addEventListener("abort", () => resolve(), { once: true })
        );
      }
      return new Response();
    };
    const first = await startChildGateway(env);
    const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
    const { accountId } = await makeWebhook(deps, { url: receiver.url });
    await writeEvents(deps, { accountIds: [accountId] });
    await asked.promise;
    await first.kill();
    isDown = false;
    never.abort();
    assert.equal((await deps.db.rows(WebhookDeliveries, ""))[0]!.state, "pending");
    const second = await startChildGateway(env);
    await eventually(() => deps.db.rows(WebhookDeliveries, ""), {
      until: ([row]) => row!.state === "delivered",
      withinMs: 15_000,
    });
    const [before, after] = receiver.received;
    assert.deepEqual([before!.id, before!.body], [after!.id, after!.body]);
    await close();
    assert.equal(await second.terminate(), 0, second.stderr());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** One of several programs on a database server; the test runs its worker. */
async function openWorker(url: string, clock: { nowMs(): number }) {
  const gateway: Gateway = await openGateway(
    readConfig({
      ...LIVE,
      CPG_DATABASE_URL: url,
      CPG_MASTER_KEY: TEST_MASTER_KEY,
      CPG_LOG_LEVEL: "silent",
    }),
  );
  const deps: Deps = { ...gateway.deps, clock };
  return { deps, gateway, worker: new WebhookDeliverer(deps, createGatewayMetrics()) };
}

Deno.test("two workers on one database send each event once, and a dead one's endpoints are taken over", async () => {
  await using sqld = await startSqld();
  await using receiver = startReceiver();
  const clock = { aheadMs: 0, nowMs: () => Date.now() + clock.aheadMs };
  const one = await openWorker(sqld.url, clock);
  const two = await openWorker(sqld.url, clock);
  const accountIds: number[] = [];
  for (let i = 0; i < 8; i++) {
    accountIds.push((await makeWebhook(one.deps, { url: receiver.url })).accountId);
  }
  for (let n = 0; n < 5; n++) {
    await writeEvents(one.deps, { accountIds: Array(10).fill(accountIds).flat() });
    await Promise.all([one.worker.look(), two.worker.look()]);
  }
  await Promise.all([one.worker.idle(), two.worker.idle()]);
  const sent = receiver.received.map(({ id }) => id);
  assert.equal(sent.length, 400);
  assert.equal(new Set(sent).size, 400);
  assert.equal((await one.deps.db.rows(WebhookAttempts, "")).length, 400);

  // The first holds every lease and doesn't release them.
  await writeEvents(two.deps, { accountIds });
  await two.worker.look();
  await two.worker.idle();
  const held = 408 - receiver.received.length;
  clock.aheadMs += 21_000;
  await two.worker.look();
  await two.worker.idle();
  assert.equal(receiver.received.length, 408, `${held} endpoints were the first one's`);
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 408);
  await one.gateway.close();
  await two.worker.stop();
  await two.gateway.close();
});
