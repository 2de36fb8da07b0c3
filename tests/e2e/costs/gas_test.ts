import assert from "node:assert/strict";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { retrySweep } from "../../../src/sweeps/retry.ts";
import type { SweepRow } from "../../../src/sweeps/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, hex, setBalance } from "../../support/payers.ts";
import { nonceOf } from "../../support/payouts.ts";
import { addUsdtLike } from "../../support/usdt_like.ts";
import type { World } from "../../support/world.ts";
import {
  assertNoFaults,
  auditSweeps,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  setBaseFee,
  signedFor,
  startSweepingWorld,
  sweepsOf,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, transactionsOf } from "../../support/views.ts";

const ACTOR = "test";
const GWEI = 10n ** 9n;

Deno.test("a token deposit gets gas once, which is no deposit and swept with it (hazards 23, 31)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  const gas = await fundGasWallet(world);
  const { api } = world.merchant;
  const { address } = await allocate(api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await payIn(world, { to: address, raw: 7_000_000n, token });
  await anvil.mine(2);
  await world.round();
  assert.deepEqual(await depositStates(world), ["sweep_pending", "sweep_pending"]);
  const [topUp] = await transactionsOf(api, "&direction=gas_topup");
  assert.deepEqual(
    [topUp!.status, topUp!.currency, topUp!.from_address, topUp!.to_address],
    ["detected", "ETH", gas, address],
  );
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal(await token.read("balanceOf", [address]), 0n);
  assert.equal(await token.read("balanceOf", [RECEIVER]), 12_000_000n);
  const outgoing = (await transactionsOf(api)).filter(({ direction }) => direction !== "deposit");
  assert.deepEqual(
    outgoing.map((row) => [row.direction, row.currency, row.status, row.amount_decimal]),
    [["sweep", "USDT", "confirmed", "12"], [
      "gas_topup",
      "ETH",
      "confirmed",
      topUp!.amount_decimal,
    ]],
  );
  assert.equal(await nonceOf(anvil, gas), 1);
  assert.equal((await balanceOf(api, "USDT")).balance, "12");
  assert.equal((await balanceOf(api)).balance, "0");
  assert.deepEqual(await alertsOf(world.deps), []);
  assertNoFaults(world);
  await auditSweeps(world, { addresses: [address], tokens: { USDT: token } });
});

Deno.test("without gas the operator is alerted once, again after a fix, and coins get sweeping going", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  const [alert, ...others] = await alertsOf(world.deps);
  assert.deepEqual([alert!.kind, alert!.subject, others.length], ["gas_missing", "network:ETH", 0]);
  const gas = (await gasWallet(world.deps, { network: "ETH", actor: "test" })).address;
  await world.turn(2);
  assert.equal((await alertsOf(world.deps)).length, 1);
  await setBalance(anvil, gas, ETHER);
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.deepEqual(await alertsOf(world.deps), []);
  await setBalance(anvil, gas, 0n);
  const next = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: next.address, raw: 5_000_000n, token });
  await world.turn(2);
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["gas_missing"]);
  assert.deepEqual(await depositStates(world), ["swept", "confirmed"]);
  assertNoFaults(world);
});

Deno.test("two tokens and coins on one address are all swept, one top-up at a time", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const usdt = await world.addToken();
  const dai = await addUsdtLike(world, "DAI");
  await fundGasWallet(world);
  const { address } = await allocate(world.merchant.api, { currency: "USDT", user: "u1" });
  await payIn(world, { to: address, raw: 5_000_000n, token: usdt });
  await payIn(world, { to: address, raw: 6_000_000n, token: dai });
  await anvil.mine(2);
  await world.round();
  assert.equal((await signedFor(world, "gas_topup")).length, 1, "One for both");
  await world.turn(6);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.ok((await signedFor(world, "gas_topup")).length <= 2);
  await payIn(world, { to: address, raw: ETHER });
  await payIn(world, { to: address, raw: 5_000_000n, token: usdt });
  await world.turn(8);
  assert.deepEqual(await depositStates(world), ["swept", "swept", "swept", "swept"]);
  assert.equal(await usdt.read("balanceOf", [RECEIVER]), 10_000_000n);
  assert.equal(await dai.read("balanceOf", [RECEIVER]), 6_000_000n);
  await auditSweeps(world, { addresses: [address], tokens: { USDT: usdt, DAI: dai } });
  assert.deepEqual(await alertsOf(world.deps), []);
  assertNoFaults(world);
});

Deno.test("tokens worth less than four times their sweep's cost wait for lower fees (hazard 27)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  await payAnyFee(world);
  const token = await world.addToken();
  const gas = await fundGasWallet(world);
  const change = { nativeRate: "0.0005" };
  await setCurrency(world.deps, { network: "ETH", symbol: "USDT", change, actor: ACTOR });
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  await setBaseFee(world, 100n * GWEI);
  await world.round();
  const [waiting] = await sweepsOf(world);
  assert.match(waiting!.reason!, /^moving 5 .*would cost too much now$/);
  assert.equal(await nonceOf(anvil, gas), 0);
  await setBaseFee(world, GWEI / 10n);
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["swept"]);
});

Deno.test("a price that outruns each top-up gets five at most, then the sweep is parked (hazard 30)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  await payAnyFee(world);
  const token = await world.addToken();
  const gas = await fundGasWallet(world, 1000n * ETHER);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  for (let i = 0, fee = GWEI; i < 9; i++, fee *= 3n) {
    await anvil.mine(2);
    await setBaseFee(world, fee);
    await world.turn();
  }
  assert.equal(await nonceOf(anvil, gas), 5);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["parked"]);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["sweep_parked"]);
  assert.equal(await nonceOf(anvil, address), 0);
  const clock = { nowMs: () => Date.now() + 10 * 700_000 };
  const [{ id }] = await sweepsOf(world) as [SweepRow];
  await retrySweep({ ...world.deps, clock }, { id, actor: ACTOR });
  await world.turn(4);
  assert.equal(await nonceOf(anvil, gas), 6, "An operator's word gives it new top-ups");
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.deepEqual(await alertsOf(world.deps), []);
  assertNoFaults(world);
});

Deno.test("one price spike between top-up and sweep is paid by a second top-up (hazard 30)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  const gas = await fundGasWallet(world, 1000n * ETHER);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  await world.round();
  await anvil.mine(3);
  await setBaseFee(world, 30n * GWEI);
  await world.round({ aheadMs: 100_000 });
  assert.equal(await nonceOf(anvil, gas), 2);
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept"]);
});

Deno.test("tokens of blacklisted addresses are parked, and three stop this token alone (hazards 32, 33)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const banned = await addUsdtLike(world, "USDT");
  const other = await addUsdtLike(world, "DAI");
  const gas = await fundGasWallet(world);
  const { api } = world.merchant;
  for (let i = 0; i < 3; i++) {
    const { address } = await allocate(api, { currency: "USDT" });
    await payIn(world, { to: address, raw: 5_000_000n, token: banned });
    await banned.send("ban", [address]);
  }
  await world.turn(2);
  assert.deepEqual(await depositStates(world), ["confirmed", "confirmed", "confirmed"]);
  assert.deepEqual((await alertsOf(world.deps)).map((row) => [row.kind, row.subject]), [
    ["sweep_parked", "sweep:1"],
    ["sweep_parked", "sweep:2"],
    ["sweep_parked", "sweep:3"],
  ]);
  assert.equal(await nonceOf(anvil, gas), 0, "No gas was burned");
  const good = await allocate(api, { currency: "USDT" });
  await payIn(world, { to: good.address, raw: 5_000_000n, token: banned });
  await payIn(world, { to: good.address, raw: 5_000_000n, token: other });
  await world.turn(4);
  assert.deepEqual((await depositStates(world)).slice(3), ["confirmed", "swept"]);
  const [, , , held] = await sweepsOf(world);
  assert.match(held!.reason!, /^sweeps of USDT are paused: 3 of them are parked$/);
  assert.equal((await balanceOf(api, "USDT")).balance, "20");
  assertNoFaults(world);
});

Deno.test("a token sweep that reverts is parked once, and its deposits are confirmed again", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await addUsdtLike(world, "USDT");
  await fundGasWallet(world);
  const { api } = world.merchant;
  const { address } = await allocate(api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  await world.round();
  await anvil.mine(3);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.round({ aheadMs: 100_000 });
  assert.equal((await signedFor(world, "sweep")).length, 1);
  const ban = token.encode("ban", [address]);
  const [from] = anvil.accounts;
  const tip = hex(100n * GWEI);
  await anvil.rpc("eth_sendTransaction", [
    {
      from,
      to: token.address,
      data: ban,
      gas: hex(200_000),
      maxFeePerGas: tip,
      maxPriorityFeePerGas: tip,
    },
  ]);
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  const [row] = await transactionsOf(api, "&direction=sweep");
  assert.equal(row!.status, "failed");
  assert.match((await sweepsOf(world))[0]!.reason!, /was mined and reverted$/);
  assert.equal(await nonceOf(anvil, address), 1, "Not tried again");
  await auditSweeps(world, { addresses: [address], tokens: { USDT: token } });
  assert.equal((await balanceOf(api, "USDT")).balance, "5");
});

Deno.test("tokens that a lagging node doesn't see yet are parked only if it says so twice", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
  const token = await world.addToken();
  await fundGasWallet(world);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  const asked = token.encode("balanceOf", [address]);
  let lies = 0;
  proxy.onCall = (method, params) => {
    const text = JSON.stringify(params);
    // Questions with a block hash are about the credit; this one is about the sweep.
    const isAboutSweep = text.includes(asked) && !text.includes("blockHash");
    if (method !== "eth_call" || !isAboutSweep || lies > 0) return "pass";
    lies++;
    return { edit: (reply) => ({ ...reply, result: `0x${"0".repeat(64)}` }) };
  };
  await world.turn(1);
  assert.equal(lies, 1);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["waiting"]);
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a signed token sweep whose gas left the chain gets gas again, and arrives", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  await fundGasWallet(world);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await setBalance(anvil, address, ETHER / 100n);
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await anvil.mine(2);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.round();
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["sweeping"]);
  const [signed] = await signedFor(world, "sweep");
  await anvil.rpc("anvil_dropTransaction", [signed!.txHash]);
  await setBalance(anvil, address, 0n);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(8);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal((await signedFor(world, "gas_topup")).length, 1);
});

async function payAnyFee({ deps }: World): Promise<void> {
  await setNetwork(deps, { code: "ETH", change: { feeMax: "1000" }, actor: ACTOR });
}
