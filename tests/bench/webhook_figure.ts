import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { WebhookDeliverer } from "../../src/webhooks/workers/deliver_webhooks.ts";
import { makeWebhook, writeEvents } from "../support/webhooks.ts";
import { type Bench, type Figure, perSecond } from "./figure.ts";
import { makeInstallation } from "./installation.ts";
import { startProgram } from "./processes.ts";

const EVENTS = 4_000;
const EVENTS_A_UNIT = 500;
const MERCHANTS = 4;
/** Deliveries in flight at once to endpoints that answer well. */
const AT_ONCE = MERCHANTS * 16;
const SINK = new URL("sink.ts", import.meta.url).pathname;

export const WEBHOOK_FIGURE: Figure = {
  name: "webhooks delivered to four merchants",
  limit: `a bare loop of fetch, ${AT_ONCE} at once`,
  unit: "webhooks/s",
  must: 0.6,
  beyond: 0.8,
  prepare,
};

/** From the committed event to the recorded attempt: look, lease, read, sign, send, record. */
async function prepare(): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const { env } = stack.use(await makeInstallation());
  const sink = stack.use(await startProgram({ args: ["run", "-q", "-P=test", SINK] }));
  const url = `http://127.0.0.1:${sink.port}/hooks`;
  const quiet = { ...env, CPG_LOG_LEVEL: "silent", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  const gateway = await openGateway(readConfig(quiet), { isExclusive: true });
  stack.defer(() => gateway.close());
  const { deps } = gateway;
  const accountIds: number[] = [];
  for (let i = 0; i < MERCHANTS; i++) accountIds.push((await makeWebhook(deps, { url })).accountId);
  const deliverer = new WebhookDeliverer(deps, createGatewayMetrics());
  stack.defer(() => deliverer.stop());
  const deliver = async () => {
    await deliverer.look();
    await deliverer.idle();
  };
  const all = stack.move();
  return {
    limit: async () => ({ perSecond: await perSecond(EVENTS, () => bareLoop(url)) }),
    ours: async () => {
      await makeEvents(deps, accountIds);
      const rate = await perSecond(EVENTS, deliver);
      await mustBeDelivered(deps);
      return { perSecond: rate };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function makeEvents(deps: Deps, merchants: readonly number[]): Promise<void> {
  for (let made = 0; made < EVENTS; made += EVENTS_A_UNIT) {
    const accountIds = Array.from({ length: EVENTS_A_UNIT }, (_, i) => merchants[i % MERCHANTS]!);
    await writeEvents(deps, { accountIds, data: DEPOSIT });
  }
}

async function mustBeDelivered({ db }: Deps): Promise<void> {
  const [row] = await db.query(
    "SELECT count(*) AS count FROM webhook_deliveries WHERE state <> 'delivered'",
  );
  if (Number(row!.count) > 0) throw new Error(`${row!.count} events were not delivered`);
}

/** The size of what merchants are sent most. */
const DEPOSIT = {
  transaction_id: 123_456,
  request_id: 123_456,
  address: `0x${"a1".repeat(20)}`,
  network: "ETH",
  currency: "USDT",
  user_identifier: "user-123456",
  tx_hash: `0x${"b2".repeat(32)}`,
  amount_decimal: "1234.567891",
  confirmations: 12,
  status: "confirmed",
  block_number: 21_000_000,
  detected_at: "2026-01-31T12:00:00+00:00",
  confirmed_at: "2026-01-31T12:03:00+00:00",
  below_minimum: false,
};

async function bareLoop(url: string): Promise<void> {
  const id = "evt_00000000000000000000";
  const timestamp = "2026-01-31T12:03:00+00:00";
  const body = JSON.stringify({ id, type: "deposit.confirmed", timestamp, data: DEPOSIT });
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": "1767225600",
    "webhook-signature": `v1,${"c".repeat(44)}`,
  };
  let left = EVENTS;
  const worker = async () => {
    while (left-- > 0) await (await fetch(url, { method: "POST", headers, body })).arrayBuffer();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
