import assert from "node:assert/strict";
import type { DeliveryState } from "../../../src/webhooks/rules/webhook_schedule.ts";
import { type DeliveryCursor, deliveryPage } from "../../../src/webhooks/reads/deliveries.ts";
import { WebhookDeliveries } from "../../../src/webhooks/tables/webhooks.ts";
import { readAll } from "../../../src/store/engine/workspace.ts";
import { startGateway } from "../../support/gateway.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";

const SHOP = "https://shop.example.com/hooks";

Deno.test("pages of deliveries show each one once, with any filters", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { accountId } = await makeWebhook(deps, { url: SHOP });
  await makeWebhook(deps, { url: SHOP, accountId });
  const other = await makeWebhook(deps, { url: SHOP });
  await writeEvents(deps, { accountIds: Array(5).fill(accountId) });
  await writeEvents(deps, { accountIds: [other.accountId] });
  const dead = [[1, 1], [3, 1], [3, 2], [6, 3]];
  await deps.db.write({
    reads: readAll(WebhookDeliveries, dead),
    decide: (view) => {
      for (const key of dead) {
        view.update(WebhookDeliveries, view.find(WebhookDeliveries, key)!, { state: "dead" });
      }
    },
  });
  const walk = async (
    asked: { accountId?: number; endpointId?: number; state?: DeliveryState },
  ): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: DeliveryCursor | null = null;
    do {
      const query = { accountId: null, endpointId: null, state: null, ...asked, cursor, limit: 1 };
      const found: Awaited<ReturnType<typeof deliveryPage>> = await deliveryPage(deps.db, query);
      seen.push(...found.rows.map((row) => `${row.eventId}-${row.endpointId}`));
      cursor = found.next;
    } while (cursor);
    return seen;
  };
  const ofAccount = [5, 4, 3, 2, 1].flatMap((event) => [`${event}-2`, `${event}-1`]);
  assert.deepEqual(await walk({}), ["6-3", ...ofAccount]);
  assert.deepEqual(await walk({ accountId }), ofAccount);
  assert.deepEqual(await walk({ endpointId: 1 }), ["5-1", "4-1", "3-1", "2-1", "1-1"]);
  assert.deepEqual(await walk({ state: "dead" }), ["6-3", "3-2", "3-1", "1-1"]);
  assert.deepEqual(await walk({ accountId, state: "dead" }), ["3-2", "3-1", "1-1"]);
  assert.deepEqual(await walk({ accountId, endpointId: 1, state: "dead" }), ["3-1", "1-1"]);
});
