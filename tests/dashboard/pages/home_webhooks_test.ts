import assert from "node:assert/strict";
import { WebhookEndpoints } from "../../../src/webhooks/tables/webhooks.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import { noteTest } from "../../support/stage.ts";

Deno.test("an operator's Home isn't all good while merchants' webhooks fail, and says which", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { token } = await makeLogin(deps);
  const home = async () => await (await dashboardFetch(url, { path: "", token })).text();
  const failed = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const { id } = await makeWebhook(deps, { url: `https://shop${n}.example.com/hooks` });
      await deps.db.write({
        reads: [read(WebhookEndpoints, [id])],
        decide: (view) => {
          noteTest(view);
          const row = view.get(WebhookEndpoints, [id]);
          view.update(WebhookEndpoints, row, { failures: 2, failingSinceMs: 1_000 });
        },
      });
    }
  };
  assert.doesNotMatch(await home(), /webhooks? (is|are) failing|Something needs/);
  await failed(3);
  const three = await home();
  assert.match(three, /id="verdict-lead">Something needs attention\./);
  assert.doesNotMatch(three, /All good/);
  assert.equal(three.match(/A webhook is failing<\/strong>/g)?.length, 3);
  assert.match(three, /href="\/dashboard\/webhooks\/1">View/);
  await failed(1);
  assert.match(await home(), /4 webhooks are failing<\/strong>/);
});
