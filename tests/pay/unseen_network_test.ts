import assert from "node:assert/strict";
import { addPlannedNetwork } from "../../src/networks/add_planned.ts";
import { planNetwork } from "../../src/networks/plan.ts";
import { NetworkCursors } from "../../src/following/table.ts";
import { enable, makeNetwork, startGateway } from "../support/gateway.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { startPayingWorld } from "../support/payouts.ts";

const OTHER = "LATE.ETH";

Deno.test("checkout 5: a coin is offered once a node of its network has answered", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { api, accountId } } = world;
  await makeNetwork(deps, { code: "LATE", rpcUrls: [anvil.url], isUnseen: true });
  await enable(deps, { accountId, network: "LATE", currency: "ETH" });
  const { body: { data } } = await api.post("/v1/invoices", { amount: "0.01", currency: "ETH" });
  assert.deepEqual(
    data.methods.map(({ network }: { network: string }) => network),
    ["ETH", "LATE"],
    "The API lists what is enabled",
  );
  const page = url + new URL(data.url).pathname;
  const offers = async () =>
    [...(await (await fetch(page)).text()).matchAll(/name="coin" value="([^"]+)"/g)]
      .map(([, id]) => id);
  const choose = async () => {
    const body = new URLSearchParams({ coin: OTHER });
    const { status } = await fetch(page, { method: "POST", body, redirect: "manual" });
    return status;
  };
  assert.deepEqual(await offers(), ["ETH.ETH"]);
  assert.equal(await choose(), 400);
  await world.round();
  assert.deepEqual(await offers(), ["ETH.ETH", OTHER]);
  assert.equal(await choose(), 303);
});

Deno.test("whoever adds a network learns its newest block, or that no node has answered yet", async () => {
  await using anvil = await startAnvil();
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const nothing = () => {};
  const listener = { warn: nothing, note: nothing };
  const add = async (code: string, rpcUrl: string) => {
    const plan = planNetwork({
      ...{ code, family: "evm", rpcUrls: [rpcUrl], chainId: "31337", startBlock: 1 },
      minConfirmations: 1,
    });
    await addPlannedNetwork(deps, { plan, actor: "test", listener });
    return (await deps.db.get(NetworkCursors, [code])).tipAtMs;
  };
  const { timestamp } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  assert.equal(await add("SEEN", anvil.url), Number(timestamp) * 1_000);
  assert.equal(await add("UNSEEN", "http://127.0.0.1:1"), null);
});
