import assert from "node:assert/strict";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, hex, makePayer, mineRaw } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import {
  assertNoFaults,
  auditSweeps,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  signedFor,
  startSweepingWorld,
  sweepsOf,
  sweepTo,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, entriesOf, transactionsOf } from "../../support/views.ts";

const ACTOR = "test";

Deno.test("spec 3.4: an address's confirmed coins are swept together, and the balance stays", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await payIn(world, { to: address, raw: ETHER });
  await payIn(world, { to: address, raw: 2n * ETHER });
  await anvil.mine(2);
  await world.round();
  assert.deepEqual(await depositStates(world), ["sweep_pending", "sweep_pending"]);
  const [before] = await transactionsOf(api, "&direction=sweep");
  assert.deepEqual([before!.status, before!.from_address, before!.to_address], [
    "detected",
    address,
    RECEIVER,
  ]);
  const entries = await entriesOf(world.deps);
  await world.turn();
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  const [swept, ...others] = await transactionsOf(api, "&direction=sweep");
  assert.deepEqual([swept!.status, swept!.id, others.length], ["confirmed", before!.id, 0]);
  const { effectiveGasPrice, gasUsed } = await anvil.rpc("eth_getTransactionReceipt", [
    swept!.tx_hash,
  ]);
  assert.equal(await receivedBy(anvil, address), 0n);
  const arrived = 3n * ETHER - BigInt(effectiveGasPrice) * BigInt(gasUsed);
  assert.equal(await receivedBy(anvil, RECEIVER), arrived);
  assert.equal((await balanceOf(api)).balance, "3");
  assert.deepEqual(await entriesOf(world.deps), entries, "Sweeping writes no ledger entry");
  await world.turn(2);
  assert.equal((await signedFor(world, "sweep")).length, 1);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["done"]);
  assertNoFaults(world);
  await auditSweeps(world, { addresses: [address] });
});

Deno.test("without a receiving wallet deposits stay confirmed, and are swept once there is one", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(2);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  await sweepTo(world, RECEIVER);
  await world.turn(2);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await receivedBy(anvil, address), 0n);
});

Deno.test("a deposit confirmed while another of its address is being swept is swept after it", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await anvil.mine(1);
  await payIn(world, { to: address, raw: ETHER });
  await anvil.mine(1);
  await world.round();
  assert.deepEqual(await depositStates(world), ["sweep_pending", "detected"]);
  await anvil.mine(1);
  await world.round();
  assert.equal((await depositStates(world))[1], "confirmed");
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal((await sweepsOf(world)).length, 2);
  assert.equal(await receivedBy(anvil, address), 0n);
});

Deno.test("an address of this gateway is refused as receiving wallet (hazard 24)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const { address } = await allocate(api);
  const gas = await fundGasWallet(world);
  for (const own of [address, hotWallet, gas, address.toLowerCase()]) {
    await assert.rejects(sweepTo(world, own), /is one of this gateway's own/);
  }
});

Deno.test("coins go to a receiving wallet that is a contract and needs more than 21000 gas (hazard 28)", async () => {
  await using anvil = await startAnvil();
  const hungry = await deploy(anvil, { name: "Hungry" });
  await using world = await startSweepingWorld({ anvil, receiver: hungry.address });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await hungry.read("count"), 1n);
  assert.ok(await receivedBy(anvil, hungry.address) > ETHER * 99n / 100n);
});

Deno.test("coins that would reach no receiving wallet are parked, with one alert and no gas burned", async () => {
  await using anvil = await startAnvil();
  const rejector = await deploy(anvil, { name: "Rejector" });
  await using world = await startSweepingWorld({ anvil, receiver: rejector.address });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["parked"]);
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["sweep_parked"]);
  assert.equal(await receivedBy(anvil, address), ETHER);
});

Deno.test("dust waits while fees would take more than a quarter of it (hazard 27)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: 10n ** 15n });
  await anvil.mine(3);
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [hex(8n * 10n ** 9n)]);
  await anvil.mine(1);
  await world.round();
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  const [waiting] = await sweepsOf(world);
  assert.equal(waiting!.state, "waiting");
  assert.match(waiting!.reason!, /^moving 0.001 would cost too much of it now$/);
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [hex(10n ** 8n)]);
  await world.restart();
  await world.turn(2);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.deepEqual(await alertsOf(world.deps), []);
});

const HOUR_MS = 3_600_000;

Deno.test("less than the currency's sweep minimum waits for more", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  const change = { sweepMinAmount: "2" };
  await setCurrency(world.deps, { network: "ETH", symbol: "ETH", change, actor: ACTOR });
  await payIn(world, { to: address, raw: 2n * ETHER - 1n });
  await world.turn(2);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  await world.round({ aheadMs: 24 * HOUR_MS });
  const [waiting] = await sweepsOf(world);
  const restMs = waiting!.nextTryAtMs - waiting!.createdAtMs - 24 * HOUR_MS;
  assert.ok(restMs > 2 * HOUR_MS, `an old one is looked at after ${restMs} ms`);
  await payIn(world, { to: address, raw: 1n });
  await world.turn(2);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal((await sweepsOf(world)).length, 1);
});

Deno.test("however many sweeps can't be understood, they are reported, and the others go on", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const setMinimum = (sweepMinAmount: string) =>
    setCurrency(deps, { network: "ETH", symbol: "ETH", change: { sweepMinAmount }, actor: ACTOR });
  await setMinimum("5");
  const strange = Array<string>(21).fill("waiting");
  for (let i = 0; i <= strange.length; i++) {
    await payIn(world, { to: (await allocate(api)).address, raw: ETHER });
  }
  await world.turn(2);
  await deps.db.execute([{
    sql: "UPDATE sweeps SET currency = 'NOPE', next_try_at_ms = 0 WHERE id <= ?",
    args: [strange.length],
  }]);
  await setMinimum("0");
  await world.turn(3);
  const states = (await sweepsOf(world)).map(({ state }) => state);
  assert.deepEqual(states, [...strange, "done"]);
  assert.match(world.faults.join(""), /Currencies stay/);
});

Deno.test("a drain on an OP Stack chain leaves enough for the L1 fee (hazard 29)", async () => {
  await using anvil = await startAnvil({ args: ["--network", "optimism"] });
  const l1Block = "0x4200000000000000000000000000000000000015";
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
  const slots = [
    [1n, 30n * 10n ** 9n],
    [3n, 2_269n << 96n | 1_055_762n << 64n | 3n],
    [7n, 150_000_000n],
  ] as const;
  for (const [slot, value] of slots) {
    await anvil.rpc("anvil_setStorageAt", [l1Block, word(slot), word(value)]);
  }
  await using world = await startSweepingWorld({ anvil });
  await setNetwork(world.deps, { code: "ETH", change: { feeModel: "op_stack" }, actor: ACTOR });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.ok(await receivedBy(anvil, RECEIVER) > ETHER * 99n / 100n);
});

Deno.test("a sweep that a reorg removes from its block is mined again, before or after it was final", async () => {
  for (const turns of [0, 1]) {
    await using anvil = await startAnvil();
    await using world = await startSweepingWorld({ anvil });
    const { address } = await allocate(world.merchant.api);
    await payIn(world, { to: address, raw: ETHER });
    await anvil.mine(2);
    await world.round();
    await world.turn(turns);
    await anvil.rpc("anvil_reorg", [turns * 3 + 1, []]);
    await world.turn(6);
    assert.deepEqual(await depositStates(world), ["swept"]);
    assert.equal(await receivedBy(anvil, address), 0n);
    assert.equal((await signedFor(world, "sweep")).length, 1);
    assert.deepEqual(
      (await transactionsOf(world.merchant.api, "&direction=sweep")).map(({ status }) => status),
      ["confirmed"],
    );
    assertNoFaults(world);
    await auditSweeps(world, { addresses: [address] });
  }
});

Deno.test("a deposit that left the chain before its sweep was signed is swept when it comes back", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, minConfirmations: 4 });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const payer = await makePayer(anvil, 701);
  const set = (sweepMinAmount: string) =>
    setCurrency(world.deps, {
      network: "ETH",
      symbol: "ETH",
      change: { sweepMinAmount },
      actor: ACTOR,
    });
  await set("5");
  const paid = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(4);
  await world.round();
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  // The branch that wins has not come as far yet.
  await anvil.rpc("anvil_rollback", [5]);
  await anvil.rpc("anvil_dropAllTransactions");
  await anvil.rpc("evm_increaseTime", [1000]);
  await anvil.mine(1);
  await set("0");
  await world.round({ aheadMs: 700_000 });
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["done"]);
  await mineRaw(anvil, paid.raw);
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await receivedBy(anvil, address), 0n);
  assert.equal((await balanceOf(api)).balance, "1");
  assertNoFaults(world);
  await auditSweeps(world, { addresses: [address] });
});

Deno.test("a sweep whose deposit vanishes takes nothing else, and the credit is taken back", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const payer = await makePayer(anvil, 702);
  await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(2);
  await world.round();
  assert.deepEqual(await depositStates(world), ["sweep_pending"]);
  const instead = await payer.sign({ nonce: 0, to: payer.address, amountRaw: 1n });
  await anvil.rpc("anvil_reorg", [4, [[instead.raw, 0]]]);
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["failed"]);
  assert.equal((await balanceOf(api)).balance, "0");
  assert.equal(await receivedBy(anvil, RECEIVER), 0n);
  assertNoFaults(world);
  // The same bytes become valid again once there are coins, whoever sent them.
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await world.turn(4);
  assert.equal((await balanceOf(api)).balance, "1");
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await world.turn(4);
  assert.equal((await balanceOf(api)).balance, "2");
  assert.deepEqual(await depositStates(world), ["failed", "swept", "swept"]);
  assert.equal(await receivedBy(anvil, address), 0n);
  assert.ok(await receivedBy(anvil, RECEIVER) > 2n * ETHER * 99n / 100n);
});
