import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, hex } from "../../support/payers.ts";
import { payIn, startSweepingWorld } from "../../support/sweeping.ts";
import { isTraceCall, refused } from "../../support/nodes/tracing_nodes.ts";
import { alertsOf, allocate, balanceOf } from "../../support/views.ts";

/** 80 calls with half a megabyte each, for 600,000 gas: a trace shows each with all of its input. */
const RUNTIME = "60006207ffff536100505b6000600062080000" +
  "6000600061dead5af1506001900380600a5700";

Deno.test("a transaction whose trace is too large for an answer doesn't stop later blocks", async () => {
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

Deno.test("a block that no node traces in time is waited for, and after 64 more read without traces", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, receiver: null, rpcUrls: [proxy.url] });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await world.round();
  const pay = () => disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await pay();
  const height = hex(Number(await anvil.rpc("eth_blockNumber")));
  const { hash } = await anvil.rpc("eth_getBlockByNumber", [height, false]);
  proxy.onCall = (method, [block]) =>
    isTraceCall({ method }) && (block === height || block === hash)
      ? refused({ code: -32000, message: "execution timeout" })
      : "pass";
  await pay();
  const rounds = async (count: number) => {
    for (let i = 0; i < count; i++) await world.round();
  };
  await anvil.mine(10);
  await rounds(6);
  assert.deepEqual(await alertsOf(world.deps), []);
  assert.equal((await balanceOf(api)).balance, "0");
  await anvil.mine(60);
  await rounds(10);
  assert.equal((await balanceOf(api)).balance, "1", "of the two, the one in the block after it");
  assert.deepEqual(
    (await alertsOf(world.deps)).map(({ kind }) => kind).toSorted(),
    ["blocks_untraced"],
  );
});
