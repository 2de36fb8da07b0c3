import assert from "node:assert/strict";
import { sweepDeposits } from "../../../src/sweeps/sweep.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import {
  assertNoFaults,
  depositStates,
  payIn,
  RECEIVER,
  startSweepingWorld,
  sweepsOf,
} from "../../support/sweeping.ts";
import { alertsOf, allocate } from "../../support/views.ts";

const NOTHING: Fault = { edit: (reply) => ({ ...reply, result: `0x${"0".repeat(64)}` }) };

Deno.test("an instance with a lagging node doesn't park a sweep that another one has just signed", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
  const token = await world.addToken();
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await setBalance(anvil, address, ETHER);
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  // Only the wallets' balances; deposits are read at a block's hash.
  const isBalance = (method: string, params: readonly unknown[]) =>
    method === "eth_call" && typeof params[1] === "string" && params[1] !== "latest";
  proxy.onCall = (method, params) => isBalance(method, params) ? NOTHING : "pass";
  await world.round();
  const [waiting] = await sweepsOf(world);
  assert.match(waiting!.reason!, /holds 0, its deposits came to 5/);

  const clock = { nowMs: () => Date.now() + 60_000 };
  const one = { ...world.deps, clock };
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const another = { ...one, chains: { ...one.chains, of: () => chain } };
  const { networks: [network] } = await one.catalog.current();
  let beside: Promise<number> | undefined;
  proxy.onCall = (method, params) => {
    if (method === "eth_getBalance") {
      beside ??= sweepDeposits(another, network!);
      return { delayMs: 1_000 };
    }
    return isBalance(method, params) ? NOTHING : "pass";
  };
  await sweepDeposits(one, network!);
  await beside;
  proxy.onCall = () => "pass";
  await world.turn(3);
  assert.equal(await token.read("balanceOf", [RECEIVER]), 5_000_000n);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["done"]);
  assert.deepEqual(await alertsOf(world.deps), []);
  assertNoFaults(world);
});
