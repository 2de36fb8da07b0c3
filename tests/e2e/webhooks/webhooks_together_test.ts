import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import type { Attempt } from "../../../src/webhooks/post/send.ts";
import { WebhookDeliverer } from "../../../src/webhooks/workers/deliver_webhooks.ts";
import { startGateway } from "../../support/gateway.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";

const ENDPOINTS = 12;
const TAKEN: Attempt = {
  status: 200,
  error: null,
  response: "ok",
  retryAfter: null,
  latencyMs: 1,
};

async function epochOf({ db }: Deps): Promise<number> {
  const [row] = await db.query("SELECT epoch FROM write_clock");
  return Number(row!.epoch);
}

const aTurn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("answers of many endpoints are recorded together while more are coming, and the last at once", async () => {
  await using gateway = await startGateway({
    CPG_WEBHOOK_ALLOW_PRIVATE: "true",
    CPG_WORKER: "false",
  });
  const answers: ((attempt: Attempt) => void)[] = [];
  const allAsked = Promise.withResolvers<void>();
  const send = () =>
    new Promise<Attempt>((resolve) => {
      if (answers.push(resolve) === ENDPOINTS) allAsked.resolve();
    });
  const deps = { ...gateway.deps, webhooks: { ...gateway.deps.webhooks, send } };
  const accountIds: number[] = [];
  for (let i = 0; i < ENDPOINTS; i++) {
    accountIds.push((await makeWebhook(deps, { url: `http://127.0.0.1:9/${i}` })).accountId);
  }
  await writeEvents(deps, { accountIds });
  const deliverer = new WebhookDeliverer(deps, createGatewayMetrics());
  await deliverer.look();
  await allAsked.promise;
  const before = await epochOf(deps);
  for (const answer of answers) {
    answer(TAKEN);
    await aTurn();
  }
  await deliverer.idle();
  const commits = await epochOf(deps) - before;
  // One because the last arrived, and others by the clock on a slow machine.
  assert.ok(commits >= 1 && commits < ENDPOINTS, `${commits} commits`);
  const [row] = await deps.db.query(
    "SELECT count(*) AS count FROM webhook_attempts WHERE status = 200",
  );
  assert.equal(Number(row!.count), ENDPOINTS);
  await deliverer.stop();
});
