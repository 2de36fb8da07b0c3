import assert from "node:assert/strict";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import type { SweepRow } from "../../../src/sweeps/table.ts";
import type { Contract } from "../../support/nodes/contracts.ts";
import { ETHER } from "../../support/payers.ts";
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
  type SweepingWorld,
  sweepsOf,
} from "../../support/sweeping.ts";
import { allocate, balanceOf } from "../../support/views.ts";

const MIN = { minDepositAmount: "1" };
const TENTH = ETHER / 10n;

async function startDustWorld(): Promise<SweepingWorld> {
  const anvil = await startAnvil();
  const world = await startSweepingWorld({ anvil });
  const asset = { network: "ETH", symbol: "ETH", actor: "test" };
  await setCurrency(world.deps, { ...asset, change: MIN });
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await anvil.stop();
  };
  return Object.create(world, { [Symbol.asyncDispose]: { value: dispose } });
}

async function payDust(
  world: SweepingWorld,
  { to, raw, times, token }: { to: string; raw: bigint; times: number; token?: Contract },
): Promise<void> {
  for (let i = 0; i < times; i++) {
    await payIn(world, { to, raw, ...token === undefined ? {} : { token } });
  }
}

Deno.test("control 1: coins below the minimum are credited and never start a sweep, however many", async () => {
  await using world = await startDustWorld();
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await payDust(world, { to: address, raw: TENTH, times: 12 });
  await world.turn(4);
  assert.deepEqual(await depositStates(world), Array(12).fill("confirmed"));
  assert.equal((await balanceOf(api)).balance, "1.2");
  assert.deepEqual(await sweepsOf(world), []);
  assert.deepEqual(await signedFor(world, "sweep"), []);

  await payIn(world, { to: address, raw: ETHER });
  await payDust(world, { to: address, raw: TENTH, times: 1 });
  await world.turn(4);
  assert.deepEqual(await depositStates(world), Array(14).fill("swept"));
  assert.equal((await signedFor(world, "sweep")).length, 1, "all of it in one");
  assert.equal(await receivedBy(world.anvil, address), 0n);
  assert.deepEqual((await reconcile(world.deps, { network: "ETH" })).differences, []);
  assertNoFaults(world);
  await auditSweeps(world, { addresses: [address] });
});

Deno.test("control 1: ten token deposits below the minimum cost no gas; with a larger one they are swept", async () => {
  await using world = await startDustWorld();
  const token = await world.addToken();
  const asset = { network: "ETH", symbol: "USDT", actor: "test" };
  await setCurrency(world.deps, { ...asset, change: MIN });
  await fundGasWallet(world);
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await payDust(world, { to: address, raw: 1n, times: 10, token });
  await world.turn(4);
  assert.deepEqual(await depositStates(world), Array(10).fill("confirmed"));
  assert.deepEqual(await sweepsOf(world), []);
  assert.deepEqual(await signedFor(world, "gas_topup"), []);
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await world.turn(6);
  assert.deepEqual(await depositStates(world), Array(11).fill("swept"));
  assert.equal(await token.read("balanceOf", [RECEIVER]), 5_000_010n);
  assert.equal((await signedFor(world, "gas_topup")).length, 1);
});

Deno.test("dust that arrives while a sweep waits for more goes with it", async () => {
  await using world = await startDustWorld();
  const set = (sweepMinAmount: string) =>
    setCurrency(world.deps, {
      network: "ETH",
      symbol: "ETH",
      change: { sweepMinAmount },
      actor: "test",
    });
  await set("1.15");
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(2);
  await payDust(world, { to: address, raw: TENTH, times: 1 });
  await world.turn(2);
  assert.deepEqual(await signedFor(world, "sweep"), []);
  await payDust(world, { to: address, raw: TENTH, times: 1 });
  await world.turn(4);
  assert.deepEqual(await depositStates(world), Array(3).fill("swept"));
});

Deno.test("a sweep whose only real deposit leaves the chain leaves the dust where it is", async () => {
  await using world = await startDustWorld();
  const { anvil } = world;
  await setCurrency(world.deps, {
    ...{ network: "ETH", symbol: "ETH", actor: "test" },
    change: { sweepMinAmount: "5" },
  });
  const { address } = await allocate(world.merchant.api);
  await payDust(world, { to: address, raw: TENTH, times: 1 });
  await world.turn(2);
  const before = await anvil.rpc("evm_snapshot");
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(2);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["waiting"]);
  await anvil.rpc("evm_revert", [before]);
  await anvil.mine(8);
  await world.turn(3);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), ["done"]);
  assert.deepEqual(await signedFor(world, "sweep"), []);
  assert.equal((await balanceOf(world.merchant.api)).balance, "0.1");
  await setCurrency(world.deps, {
    ...{ network: "ETH", symbol: "ETH", actor: "test" },
    change: { sweepMinAmount: "0" },
  });
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(4);
  assert.equal(await receivedBy(anvil, address), 0n);
});

Deno.test("what isn't worth a sweep is checked after ten minutes, and after days four times a day", async () => {
  await using world = await startDustWorld();
  const asset = { network: "ETH", symbol: "ETH", actor: "test" };
  await setCurrency(world.deps, { ...asset, change: { minDepositAmount: "0" } });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: 1n });
  await world.turn(2);
  const waitsMs = async () => {
    const [{ nextTryAtMs, createdAtMs }] = await sweepsOf(world) as [SweepRow];
    return { waitedMs: nextTryAtMs - createdAtMs, createdAtMs };
  };
  const hourMs = 3_600_000;
  assert.ok((await waitsMs()).waitedMs < hourMs);
  await world.round({ aheadMs: 72 * hourMs });
  const { waitedMs, createdAtMs } = await waitsMs();
  const aheadMs = createdAtMs + waitedMs - Date.now() - 72 * hourMs;
  assert.ok(aheadMs > 5 * hourMs && aheadMs < 7 * hourMs, `${aheadMs} ms`);
});
