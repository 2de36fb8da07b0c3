import assert from "node:assert/strict";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { startScene, statesOf } from "../../support/collecting.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { payIn, RECEIVER, sweepsOf } from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

const ACTOR = "test";
const PAID = 5_000_000n;

Deno.test("an order that needs more gas than its token may take is left out, and parked alone", async () => {
  await using scene = await startScene(2);
  const { world, world: { deps, merchant: { api, accountId } }, anvil, token } = scene;
  const gold = await deploy(anvil, { name: "Token", args: ["GOLD", 6] });
  await makeToken(deps, { network: "ETH", contract: gold.address, symbol: "GOLD" });
  await enable(deps, { accountId, network: "ETH", currency: "GOLD" });
  for (const user of ["a", "b"]) {
    const { address } = await allocate(api, { currency: "GOLD", user });
    await payIn(world, { to: address, raw: PAID, token: gold });
  }
  await scene.look(4);
  const asset = { network: "ETH", symbol: "USDT" };
  await setCurrency(deps, { ...asset, change: { gasMax: 5_000 }, actor: ACTOR });
  const { alone } = await collectTogether(deps, {
    place: await scene.place(),
    sweepings: await scene.due(),
  });
  assert.deepEqual(alone.map(({ currency: { symbol } }) => symbol), ["USDT", "USDT"]);
  await scene.look(4);
  assert.equal(await gold.read("balanceOf", [RECEIVER]), 2n * PAID);
  await world.turn(3);
  assert.deepEqual(await statesOf(scene), ["parked", "parked", "done", "done"]);
  const [parked] = await sweepsOf(world);
  assert.match(parked!.reason!, /more gas/);
  assert.equal(await token.read("balanceOf", [RECEIVER]), 0n);
});
