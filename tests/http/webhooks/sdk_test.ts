import assert from "node:assert/strict";
import { Cpg, RefusedError, verifyWebhook } from "../../../src/sdk/mod.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { startReceiver } from "../../support/programs/receiver.ts";
import { writeEvents } from "../../support/webhooks.ts";

Deno.test("with the SDK, a webhook is added, changed, tested and removed, and events are read", async () => {
  await using gateway = await startGateway({ CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
  await using receiver = startReceiver();
  const { accountId, credentials } = await makeMerchant(gateway);
  const cpg = new Cpg({ url: gateway.url, ...credentials });
  const { webhook_id: id, secret } = await cpg.createWebhook({
    ...{ url: receiver.url, events: ["deposit.detected"] },
  });
  const { events } = await cpg.changeWebhook(id, { events: ["deposit.confirmed"] });
  assert.deepEqual(events, ["deposit.confirmed"]);
  assert.equal((await cpg.testWebhook(id)).delivered, true);
  const ping = receiver.received.shift()!;
  assert.equal((await verifyWebhook(ping.body, ping.headers, secret)).id, ping.id);
  for (let i = 0; i < 3; i++) await writeEvents(gateway.deps, { accountIds: [accountId] });
  const seen: string[] = [];
  for await (const event of cpg.listEvents({ limit: 2 })) seen.push(event.id);
  assert.equal(seen.length, 3);
  const { deliveries } = await cpg.readEvent(seen[0]!);
  assert.deepEqual(deliveries.map((one) => one.webhook_id), [id]);
  assert.deepEqual(await cpg.redeliverEvent(seen[0]!), { event_id: seen[0], redelivered: 1 });
  assert.equal((await cpg.deleteWebhook(id)).webhook_id, id);
  assert.deepEqual(await cpg.listWebhooks().all(), []);
  await assert.rejects(
    cpg.readEvent("../withdrawals"),
    (error) => error instanceof RefusedError && error.status === 404,
  );
});
