import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { measureOutputs } from "../../../src/outputs/measure.ts";
import { startLitecoinLater, startLitecoinWorld } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { sentId } from "../../support/payouts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { allocate, withdraw } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };

Deno.test("the fee rate, a hot wallet's outputs and how many hang together are measured", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { deps, merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, LTC);
  await node.pay(address, "1");
  await node.pay(hotWallet, "0.1");
  await node.pay(hotWallet, "0.2");
  await node.mine(2);
  await world.round();
  await world.round();
  const network = await findNetwork(deps, "LTC");
  const measured = async () => {
    const metrics = createGatewayMetrics();
    await measureOutputs(deps, { network, metrics });
    const text = metrics.text();
    assert.doesNotMatch(metrics.text({ isPublic: true }), /cpg_hot_wallet/);
    const of = (name: string) =>
      Number(new RegExp(`^${name}\\{[^}]*network="LTC".*\\} (.*)$`, "m").exec(text)?.[1]);
    return {
      rate: of("cpg_network_fee_rate"),
      outputs: of("cpg_hot_wallet_outputs"),
      unmined: of("cpg_hot_wallet_unmined"),
    };
  };
  assert.deepEqual(await measured(), { rate: 2, outputs: 2, unmined: 0 });
  const to: string = await node.rpc("getnewaddress", [], "payer");
  // The change is divided, and a part of it pays next.
  sentId(await withdraw(api, { ...LTC, amount: "0.21", to }));
  sentId(await withdraw(api, { ...LTC, amount: "0.01", to }));
  const after = await measured();
  assert.deepEqual([after.outputs, after.unmined], [7, 2]);
  await node.stop();
  const silent = await measured();
  assert.deepEqual([silent.outputs, silent.unmined], [7, 2], "The books know them");
});

Deno.test("looks at the mempool are counted, and so are those that no node answers", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using world = await startLitecoinWorld({ nodes: [node], isWorking: true });
  const count = async (name: string) => {
    const text = await (await fetch(`${world.url}/metrics`)).text();
    return Number(new RegExp(`^${name}.* (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  };
  const looks = (result: string) =>
    count(`cpg_mempool_looks_total\\{network="LTC",result="${result}"\\}`);
  await eventually(() => looks("done"), { until: (done) => done > 2 });
  assert.equal(await count('cpg_network_tip_height\\{network="LTC"\\}'), 1);
  await node.stop();
  await eventually(() => looks("failed"), { until: (failed) => failed > 0 });
});
