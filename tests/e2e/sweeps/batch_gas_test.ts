import assert from "node:assert/strict";
import { getAddress } from "viem/utils";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { startScene, statesOf } from "../../support/collecting.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { receivedBy } from "../../support/payouts.ts";
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

/** Stores something when it is paid, which takes 22,100 gas. */
const STORING = "0x43435500";

Deno.test("coins to a recipient that needs more gas than coins may take are left out", async () => {
  await using scene = await startScene(2, { currency: "ETH", paidRaw: 10n ** 17n });
  const { world: { deps, merchant: { accountId } }, anvil } = scene;
  const to = getAddress("0x00000000000000000000000000000000000beef3");
  await anvil.rpc("anvil_setCode", [to, STORING]);
  const wallet = { accountId, network: "ETH", address: to };
  await setReceivingWallet(deps, { ...wallet, isNow: true, actor: ACTOR });
  const asset = { network: "ETH", symbol: "ETH" };
  const collect = async (gasMax: number) => {
    await setCurrency(deps, { ...asset, change: { gasMax }, actor: ACTOR });
    const sweepings = (await scene.due()).map((one) => ({ ...one, to }));
    return await collectTogether(deps, { place: await scene.place(), sweepings });
  };
  await assert.rejects(collect(5_000), /each of its orders would fail/);
  assert.deepEqual((await collect(23_000)).alone, [], "As alone");
  await scene.look(4);
  assert.equal(await receivedBy(anvil, to), 2n * 10n ** 17n);
});
