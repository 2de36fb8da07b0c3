import assert from "node:assert/strict";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { alertsOf } from "../../support/views.ts";
import { startBareWorld } from "../../support/world.ts";

const MINUTES_AGO = 30;

Deno.test("nodes that answer, but get no new blocks, are reported until they get one", async () => {
  const [then, now] = [60 * MINUTES_AGO, 0].map((ago) => Math.floor(Date.now() / 1_000) - ago);
  await using anvil = await startAnvil({ args: ["--chain-id", "1", "--timestamp", String(then)] });
  const network = { code: "ETH", symbol: "ETH", rpcUrls: [anvil.url], chainId: "1" };
  await using world = await startBareWorld({ network });
  const open = (until: (kinds: string[]) => boolean) =>
    eventually(async () => (await alertsOf(world.deps)).map(({ kind }) => kind), { until });
  await open((kinds) => kinds.includes("network_stalled"));
  const [alert] = await alertsOf(world.deps);
  assert.match(alert!.message, /^The newest block of ETH, \d+, is from \S+: payments after it/);
  const { token } = await makeLogin(world.deps, { accountId: world.merchant.accountId });
  const home = async () => {
    const page = await dashboardFetch(world.url, { path: "/", token });
    return (await page.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  };
  assert.match(await home(), / has had no new block for \d+ min\. /);
  await anvil.rpc("evm_setTime", [now]);
  await anvil.mine(1);
  await open((kinds) => kinds.length === 0);
  await eventually(home, { until: (text) => !text.includes("no new block") });
});
