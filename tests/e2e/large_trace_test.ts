import assert from "node:assert/strict";
import { startAnvil } from "../support/anvil.ts";
import { ETHER } from "../support/payers.ts";
import { payIn, startSweepingWorld } from "../support/sweeping.ts";
import { alertsOf, allocate, balanceOf } from "../support/views.ts";

/** 80 calls with half a megabyte each, for 600,000 gas: a trace tells each with all of its input. */
const RUNTIME = "60006207ffff536100505b6000600062080000" +
  "6000600061dead5af1506001900380600a5700";

Deno.test("a transaction whose trace no node can tell in one answer keeps no later block from being read", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const [from] = anvil.accounts;
  const length = (RUNTIME.length / 2).toString(16);
  const data = `0x60${length}80600b6000396000f3${RUNTIME}`;
  const { contractAddress: to } = await anvil.rpc("eth_sendTransactionSync", [{ from, data }]);
  await world.round();
  const { gasUsed, status } = await anvil.rpc("eth_sendTransactionSync", [{ from, to }]);
  assert.deepEqual([status, Number(gasUsed) < 700_000], ["0x1", true]);
  await world.round();
  await payIn(world, { to: address, raw: ETHER });
  await anvil.mine(3);
  await world.round();
  await world.round();
  assert.equal((await balanceOf(api)).balance, "1");
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["blocks_untraced"]);
});
