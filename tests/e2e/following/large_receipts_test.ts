import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { payIn, startSweepingWorld } from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf } from "../../support/views.ts";

const TOO_MUCH = { status: 200, body: " ".repeat(64 * 1024 * 1024 + 1) };

Deno.test("a block's receipts that are too much for one answer are asked for one by one", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, receiver: null, rpcUrls: [proxy.url] });
  const token = await world.addToken();
  const other = await deploy(anvil, { name: "Token", args: ["OTHER", 6] });
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await world.round();
  let refused = 0;
  proxy.onCall = (method) => {
    if (method !== "eth_getBlockReceipts") return "pass";
    refused++;
    return TOO_MUCH;
  };
  // Its bloom has the token and a Transfer; only receipts show that it isn't a Transfer of the
  // token.
  await anvil.rpc("evm_setAutomine", [false]);
  await token.send("approve", [address, 1n], { isPooled: true, gas: 100_000 });
  await other.send("mint", [address, 1n], { isPooled: true, gas: 100_000 });
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.round();
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(3);
  for (let rounds = 0; rounds < 3; rounds++) await world.round();
  assert.ok(refused > 0);
  assert.equal((await balanceOf(world.merchant.api, "USDT")).balance, "5");
  assert.deepEqual(await alertsOf(world.deps), []);
});
