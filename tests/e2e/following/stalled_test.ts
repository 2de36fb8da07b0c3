import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { resolveAlert } from "../../../src/upkeep/manage_alerts.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { alertsOf } from "../../support/views.ts";
import { startBareWorld } from "../../support/world.ts";

const MINUTES_AGO = 30;
/** So much later it is noted again what a node that has nothing new knows. */
const LATER = { aheadMs: 10_000 };

function nowS(): number {
  return Math.floor(Date.now() / 1_000);
}

Deno.test("nodes that answer, but get no new blocks, are reported until they get one", async () => {
  const timestamp = String(nowS() - 60 * MINUTES_AGO);
  await using anvil = await startAnvil({ args: ["--chain-id", "1", "--timestamp", timestamp] });
  const network = { code: "ETH", symbol: "ETH", rpcUrls: [anvil.url], chainId: "1" };
  await using world = await startBareWorld({ network, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const home = async () => {
    const page = await dashboardFetch(world.url, { path: "/", token });
    return (await page.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  };
  const turn = (isActive: boolean) =>
    setNetwork(deps, { code: "ETH", change: { isActive }, actor: "test" });
  const afterRound = async () => {
    await world.round(LATER);
    return (await alertsOf(deps)).filter(({ kind }) => kind === "network_stalled");
  };
  const [alert] = await afterRound();
  assert.match(alert!.message, /^The newest block of ETH, \d+, is from \S+: payments after it/);
  const said = await home();
  assert.match(said, / The newest block of Ethereum is \d+ min old\. /);
  assert.match(said, /Ethereum has no fresh blocks/);
  assert.equal((await afterRound()).length, 1);

  await turn(false);
  assert.deepEqual(await afterRound(), [], "Nobody waits for one that is switched off");
  await turn(true);
  const [again] = await afterRound();
  await resolveAlert(deps, { id: again!.id, actor: "test" });
  assert.deepEqual(await afterRound(), [], "Whoever resolved it knows");

  await anvil.rpc("evm_setTime", [nowS()]);
  await anvil.mine(1);
  assert.deepEqual(await afterRound(), []);
  assert.doesNotMatch(await home(), /no fresh blocks/);
});
