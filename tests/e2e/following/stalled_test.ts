import assert from "node:assert/strict";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { alertsOf } from "../../support/views.ts";
import { startBareWorld } from "../../support/world.ts";

const MINUTES_AGO = 30;

function nowS(): number {
  return Math.floor(Date.now() / 1_000);
}

Deno.test("nodes that answer, but get no new blocks, are reported until they get one", async () => {
  const timestamp = String(nowS() - 60 * MINUTES_AGO);
  await using anvil = await startAnvil({ args: ["--chain-id", "1", "--timestamp", timestamp] });
  const network = { code: "ETH", symbol: "ETH", rpcUrls: [anvil.url], chainId: "1" };
  await using world = await startBareWorld({ network });
  const stalled = async () =>
    (await alertsOf(world.deps)).find(({ kind }) => kind === "network_stalled")?.message;
  const message = await eventually(stalled, { until: (found) => found !== undefined });
  assert.match(message!, /^The newest block of ETH, \d+, is from \S+: payments after it/);
  const { token } = await makeLogin(world.deps, { accountId: world.merchant.accountId });
  const home = async () => {
    const page = await dashboardFetch(world.url, { path: "/", token });
    return (await page.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  };
  const isSaid = (text: string) => / The newest block of Ethereum is \d+ min old\. /.test(text);
  const said = await eventually(home, { until: isSaid });
  assert.match(said, /Ethereum has no fresh blocks/);
  await anvil.rpc("evm_setTime", [nowS()]);
  await anvil.mine(1);
  await eventually(stalled, { until: (found) => found === undefined });
  await eventually(home, { until: (text) => !isSaid(text) });
});
