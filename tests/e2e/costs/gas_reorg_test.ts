import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { nonceOf } from "../../support/payouts.ts";
import {
  assertNoFaults,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  setBaseFee,
  signedFor,
  startSweepingWorld,
} from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";
import { topUpOnItsWay } from "../../../src/transfers/reads/claims.ts";

const GWEI = 10n ** 9n;

Deno.test("a top-up that a reorg removes from its block is mined again, before or after it was final", async () => {
  for (const depth of [1, 4]) {
    await using anvil = await startAnvil();
    await using world = await startSweepingWorld({ anvil });
    const token = await world.addToken();
    const gas = await fundGasWallet(world);
    const { address } = await allocate(world.merchant.api, { currency: "USDT" });
    await payIn(world, { to: address, raw: 5_000_000n, token });
    await anvil.mine(2);
    await world.round();
    if (depth > 1) await anvil.mine(3);
    await world.round();
    await anvil.rpc("anvil_reorg", [depth + (depth > 1 ? 1 : 0), []]);
    await world.turn(5);
    assert.deepEqual(await depositStates(world), ["swept"]);
    assert.equal(await nonceOf(anvil, gas), 1);
    assertNoFaults(world);
  }
});

Deno.test("a reorg that reopens a top-up while the next is on its way stops nothing (hazard 31)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  await fundGasWallet(world, 1000n * ETHER);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  await world.round();
  await anvil.mine(2);
  await setBaseFee(world, 30n * GWEI);
  await world.round({ aheadMs: 100_000 });
  assert.equal((await signedFor(world, "gas_topup")).length, 2);
  await anvil.rpc("anvil_reorg", [5, []]);
  await setBaseFee(world, GWEI);
  await world.turn(8);
  assertNoFaults(world);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await token.read("balanceOf", [RECEIVER]), 5_000_000n);
});

Deno.test("no second gas is sent while a reopened top-up may be mined again", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  await fundGasWallet(world);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  await world.round();
  const onItsWay = () => topUpOnItsWay(world.deps.db, { network: "ETH", address });
  const before = await onItsWay();
  await anvil.mine(3);
  await world.round();
  assert.equal(await onItsWay(), undefined);
  await anvil.rpc("evm_setAutomine", [false]);
  await anvil.rpc("anvil_reorg", [5, []]);
  await world.round();
  const [topUp] = await signedFor(world, "gas_topup");
  assert.deepEqual([topUp!.state, topUp!.blockHash], ["open", null]);
  assert.equal((await onItsWay())?.id, before?.id);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(5);
  assert.equal(await onItsWay(), undefined);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assertNoFaults(world);
});
