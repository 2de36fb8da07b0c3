import assert from "node:assert/strict";
import { createUser } from "../../src/access/manage_users.ts";
import { startGateway } from "../support/gateway.ts";

const STILL = { CPG_WORKER: "false" };

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url, { redirect: "manual" });
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("on a port of its own the dashboard is there and not beside the API", async () => {
  await using gateway = await startGateway({ ...STILL, CPG_DASHBOARD_PORT: "0" });
  const { url, serving: { dashboardUrl, setUpUrl } } = gateway;
  assert.notEqual(new URL(dashboardUrl!).origin, url);
  assert.equal(await statusOf(`${dashboardUrl}/sign-in`), 200);
  assert.ok((await setUpUrl())!.startsWith(`${dashboardUrl}/set-up/`));
  assert.equal(await statusOf(`${url}/dashboard/sign-in`), 404);
  assert.equal(await statusOf(`${new URL(dashboardUrl!).origin}/v1/_ping`), 404);
  assert.equal(await statusOf(`${url}/healthz`), 200);
});

Deno.test("switched off, the dashboard is nowhere and offers no link", async () => {
  await using gateway = await startGateway({ ...STILL, CPG_DASHBOARD_PORT: "off" });
  const { url, serving } = gateway;
  assert.deepEqual([serving.dashboardUrl, await serving.setUpUrl()], [null, null]);
  assert.equal(await statusOf(`${url}/dashboard/sign-in`), 404);
});

Deno.test("the set-up link is new at each start, and none is offered once somebody can sign in", async () => {
  await using gateway = await startGateway(STILL);
  const { serving, deps } = gateway;
  const [first, second] = [await serving.setUpUrl(), await serving.setUpUrl()];
  assert.notEqual(first, second);
  assert.match(await (await fetch(first!)).text(), /This link doesn/);
  assert.match(await (await fetch(second!)).text(), /You are the owner/);
  const order = {
    email: "ops@example.com",
    role: "operator",
    accountId: null,
    actor: "test",
  } as const;
  await createUser(deps, order, null);
  assert.equal(await serving.setUpUrl(), null);
  assert.match(await (await fetch(second!)).text(), /This link doesn/);
});
