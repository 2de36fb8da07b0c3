import type { Hex } from "viem";
import { concatHex, keccak256, pad } from "viem/utils";
import assert from "node:assert/strict";
import { alertRead } from "../../../src/books/alerts.ts";
import { moveSweep } from "../../../src/books/move_sweep.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { postpone } from "../../../src/sweeps/steps.ts";
import { retrySweep } from "../../../src/sweeps/retry.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { collectorAddress, delegationTo } from "../../../src/chains/evm/collector/deployment.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { nonceOf, receivedBy } from "../../support/payouts.ts";
import {
  assertNoFaults,
  depositStates,
  payIn,
  RECEIVER,
  signedFor,
  type SweepingWorld,
  sweepsOf,
} from "../../support/sweeping.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { alertsOf, allocate, transactionsOf } from "../../support/views.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
  switchOn,
} from "../../support/collecting.ts";

/** Before the block of what is in the pool. */
async function ban({ anvil, token }: Scene, address: string): Promise<void> {
  const slot = keccak256(concatHex([pad(address.toLowerCase() as Hex), pad("0x01")]));
  await anvil.rpc("anvil_setStorageAt", [token.address, slot, pad("0x01")]);
}

Deno.test("three addresses are emptied by one transaction of the gas wallet, and no gas stays there", async () => {
  await using scene = await startScene();
  const { world, anvil, token, gas, addresses } = scene;
  const { deps, merchant: { api } } = world;
  const done = await collectTogether(deps, {
    place: await scene.place(),
    sweepings: await scene.due(),
  });
  assert.deepEqual(done, { alone: [], later: [] });
  assert.deepEqual(await depositStates(world), Array(3).fill("sweep_pending"));
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  assert.deepEqual(await depositStates(world), Array(3).fill("swept"));
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  assert.equal(await nonceOf(anvil, gas), 1);
  for (const address of addresses) assert.equal(await receivedBy(anvil, address), 0n);
  const outgoing = (await transactionsOf(api)).filter((row) => row.direction !== "deposit");
  assert.deepEqual(
    outgoing.map(({ direction, status }) => [direction, status]),
    Array(3).fill(["sweep", "confirmed"]),
  );
  assert.equal(new Set(outgoing.map(({ tx_hash }) => tx_hash)).size, 1);
  await checkBooks(scene);
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), []);
});

Deno.test("a delegated address is swept in batches and alone, though its nonce has moved", async () => {
  await using scene = await startScene();
  const { world, token, gas, anvil, addresses } = scene;
  const { deps } = world;
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await scene.look(4);
  for (const address of addresses) await payIn(world, { to: address, raw: PAID, token });
  await scene.look(4);
  const [first, ...others] = await scene.due();
  const done = await collectTogether(deps, { place: await scene.place(), sweepings: others });
  assert.deepEqual(done, { alone: [], later: [] });
  // The first one by itself, with gas of its own.
  await world.turn(6);
  assert.deepEqual(await statesOf(scene), Array(6).fill("done"));
  assert.equal(await heldBy(token, RECEIVER), 6n * PAID);
  assert.equal(await nonceOf(anvil, first!.address.address), 2);
  assert.equal(await nonceOf(anvil, gas), 3, "two batches and a top-up");
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), []);
  assertNoFaults(world);
});

Deno.test("an order that fails in its block fails alone, and its sweep is tried alone from then on", async () => {
  await using scene = await startScene();
  const { world, anvil, addresses } = scene;
  const { deps } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await ban(scene, addresses[1]!);
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["done", "waiting", "done"]);
  const [failed] = await scene.due();
  assert.equal(failed!.sweep.code, "failed_in_batch");
  assert.match(failed!.sweep.reason!, /^0x[0-9a-f]{64} was mined and its order failed$/);
  assert.deepEqual((await depositStates(world)).toSorted(), ["confirmed", "swept", "swept"]);
  const rows = (await signedFor(world, "sweep")).filter(({ state }) => state === "settled");
  assert.equal(rows.length, 1);
  // Whatever an attempt alone says since then, it would fail in every batch, and cost its gas.
  const why = { code: "not_worth_it", reason: "moving it would cost too much now" } as const;
  await postpone(deps, { sweep: failed!.sweep, ...why, forMs: 0 });
  await anvil.rpc("evm_setAutomine", [true]);
  await payIn(world, { to: addresses[0]!, raw: PAID, token: scene.token });
  await payIn(world, { to: addresses[2]!, raw: PAID, token: scene.token });
  await scene.look(4);
  const again = await collectTogether(deps, {
    place: await scene.place(),
    sweepings: await scene.due(),
  });
  assert.deepEqual(again.alone.map(({ sweep }) => sweep.id), [failed!.sweep.id]);
  assert.deepEqual(
    (await signedRows(deps)).map(({ paymentCount }) => paymentCount),
    [3, 2],
    "The other two are together",
  );
  await checkBooks(scene);
});

Deno.test("an address that may be paid coins, or runs other code, is left to be swept alone", async () => {
  await using scene = await startScene();
  const { world, anvil, addresses } = scene;
  const { deps } = world;
  const sweepings = await scene.due();
  const kept = await collectTogether(deps, { place: await scene.place(false), sweepings });
  assert.deepEqual(kept.alone, sweepings);
  await anvil.rpc("anvil_setCode", [addresses[0], `0xef0100${"12".repeat(20)}`]);
  const done = await collectTogether(deps, { place: await scene.place(), sweepings });
  assert.deepEqual(done.alone.map(({ address }) => address.address), [addresses[0]]);
  assert.equal((await signedRows(deps)).length, 1);
  const [alert] = await alertsOf(deps);
  assert.equal(alert!.kind, "foreign_delegate");
  assert.match(alert!.message, new RegExp(addresses[0]!));
});

Deno.test("an address that delegates to an earlier contract of ours delegates anew", async () => {
  await using scene = await startScene();
  const { world, anvil, addresses, collector, token } = scene;
  const earlier = { ...collector, nonce: 999 };
  await anvil.rpc("anvil_setCode", [addresses[0], delegationTo(collectorAddress(earlier))]);
  const place = { ...await scene.place(), older: [earlier] };
  const done = await collectTogether(world.deps, { place, sweepings: await scene.due() });
  assert.deepEqual(done.alone, []);
  await scene.look(4);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  const code = await anvil.rpc("eth_getCode", [addresses[0], "latest"]);
  assert.equal(code, delegationTo(collectorAddress(collector)));
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a batch that a reorganisation takes out of its block is sent again, and moves once", async () => {
  await using scene = await startScene();
  const { world, token, anvil } = scene;
  const { deps } = world;
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  await anvil.rpc("anvil_reorg", [5, []]);
  assert.equal(await heldBy(token, RECEIVER), 0n);
  await anvil.mine(2);
  await world.turn(6);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  assert.deepEqual(await depositStates(world), Array(3).fill("swept"));
  assert.deepEqual(
    (await signedRows(deps)).map(({ purpose, state, place }) => [purpose, state, place]),
    [["sweep", "settled", 0]],
  );
  assertNoFaults(world);
});

const signedOnce = async ({ world }: Scene) =>
  (await signedRows(world.deps)).map(({ purpose, state }) => `${purpose} ${state}`);

Deno.test("a network that collects in batches sweeps by itself in one transaction", async () => {
  await using scene = await startScene(5);
  const { world, token } = scene;
  await switchOn(scene, { collect: "batch" });
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), Array(5).fill("done"));
  assert.equal(await heldBy(token, RECEIVER), 5n * PAID);
  // The contract's deployment pays nobody.
  assert.deepEqual(await signedOnce(scene), ["foreign settled", "sweep settled"]);
  await checkBooks(scene);
  assertNoFaults(world);
});

Deno.test("a network that collects automatically waits for company, and not for longer than it may", async () => {
  await using scene = await startScene();
  const { world, token, anvil } = scene;
  const { deps } = world;
  await switchOn(scene, { collect: "auto", collectWaitMs: 600_000 });
  await anvil.mine(1);
  await world.round({ aheadMs: 710_000 });
  const waiting = await sweepsOf(world);
  assert.deepEqual(waiting.map(({ code }) => code), Array(3).fill("waits_for_company"));
  await retrySweep(deps, { id: waiting[0]!.id, actor: "test" });
  await anvil.mine(1);
  await world.round({ aheadMs: 710_000 });
  // The others go too if their next look has come.
  assert.equal(await stateOf(world, waiting[0]!.id), "funding");
  await world.turn(5);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await checkBooks(scene);
});

const stateOf = async ({ deps }: SweepingWorld, id: number) =>
  (await deps.db.get(Sweeps, [id])).state;

Deno.test("a parked sweep that is retried waits for no company either", async () => {
  await using scene = await startScene();
  const { anvil, world, world: { deps } } = scene;
  await switchOn(scene, { collect: "auto", collectWaitMs: 600_000 });
  await anvil.mine(1);
  await world.round({ aheadMs: 710_000 });
  const [{ id, code } = { id: 0 }] = await sweepsOf(world);
  assert.equal(code, "waits_for_company");
  await deps.db.write({
    reads: [read(Sweeps, [id]), alertRead("sweep_parked", `sweep:${id}`)],
    decide: (view) => {
      const why = { code: "refused", reason: "on purpose" } as const;
      const at = { nowMs: deps.clock.nowMs() };
      return moveSweep(view, { id, trigger: "parked", deposits: [], why, ...at });
    },
  });
  await retrySweep(deps, { id, actor: "test" });
  await anvil.mine(1);
  await world.round({ aheadMs: 710_000 });
  assert.equal(await stateOf(world, id), "funding");
});

Deno.test("a deposit that is credited after others of its sweep were signed is moved by the next", async () => {
  await using scene = await startScene();
  const { world, world: { deps }, token, addresses: [address] } = scene;
  const [mine, ...others] = await scene.due();
  await payIn(world, { to: address!, raw: PAID, token });
  await followNetwork(deps, await findNetwork(deps, "ETH"));
  const [late] = await deps.db.rows(Transactions, "WHERE status = 'detected'");
  // As an order leaves it that was taken on from a restored backup, and failed.
  const orphan = await deps.db.write({
    reads: [read(Transactions, [late!.id])],
    decide: (view) => view.update(Transactions, late!, { sweepId: mine!.sweep.id }),
  });
  await collectTogether(deps, {
    place: await scene.place(),
    sweepings: [{ ...mine!, orphans: [orphan] }, ...others],
  });
  await world.turn(6);
  assert.deepEqual(await depositStates(world), Array(4).fill("swept"));
  assert.equal(await heldBy(token, RECEIVER), 4n * PAID);
  await checkBooks(scene);
});

Deno.test("a batch that is not mined is bid again, whole, and moves once", async () => {
  await using scene = await startScene();
  const { world, token, anvil } = scene;
  const { deps } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  const [first] = await signedRows(deps);
  const [newest] = await withPayments(deps.db, [
    await deps.db.get(SignedTransactions, [first!.id]),
  ]);
  const network = await findNetwork(deps, "ETH");
  const again = await outbidTransfer(deps, { network, newest: newest!, actor: "test" });
  assert.equal(again.payments.length, 3);
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  assert.deepEqual((await signedRows(deps)).map(({ state }) => state), ["superseded", "settled"]);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await checkBooks(scene);
});

const LOST = {
  "before the node saw it": { drop: "before" },
  "after the node took it": { drop: "after" },
  "while all nodes answered with errors": { status: 503, body: "down" },
} as const;

for (const [when, fault] of Object.entries(LOST)) {
  Deno.test(`killed while a batch was sent, ${when}, it goes on and moves each once`, async () => {
    await using scene = await startScene(5);
    const { world, proxy, token, gas, anvil } = scene;
    await switchOn(scene, { collect: "batch" });
    let lost = 0;
    proxy.onCall = (method) => {
      if (method !== "eth_sendRawTransaction") return "pass";
      lost++;
      return fault;
    };
    await world.turn(1);
    assert.equal((await signedFor(world, "sweep")).length, 1);
    assert.ok(lost > 0);
    proxy.onCall = () => "pass";
    await world.restart();
    await world.turn(4);
    assert.deepEqual(await statesOf(scene), Array(5).fill("done"));
    assert.equal(await heldBy(token, RECEIVER), 5n * PAID);
    assert.equal(await nonceOf(anvil, gas), 2, "the contract and one batch");
    assert.deepEqual(await signedOnce(scene), ["foreign settled", "sweep settled"]);
    await checkBooks(scene);
    assertNoFaults(world);
  });
}

/** Whatever is called there reverts. */
const REVERTING = "0x60006000fd";

for (const collect of ["batch", "single"] as const) {
  Deno.test(`a token whose balances can't be read stops no other sweep (${collect})`, async () => {
    await using scene = await startScene(3);
    const { world, anvil, token } = scene;
    const { deps, merchant: { api, accountId } } = world;
    const broken = await deploy(anvil, { name: "Token", args: ["BAD", 6] });
    await makeToken(deps, { network: "ETH", contract: broken.address, symbol: "BAD" });
    await enable(deps, { accountId, network: "ETH", currency: "BAD" });
    const { address } = await allocate(api, { currency: "BAD", user: "another customer" });
    await payIn(world, { to: address, raw: PAID, token: broken });
    await scene.look(4);
    if (collect === "batch") await switchOn(scene, { collect });
    await anvil.rpc("anvil_setCode", [broken.address, REVERTING]);
    await world.turn(5);
    const sweeps = await sweepsOf(world);
    const ends = sweeps.map(({ currency, state }) => `${currency} ${state}`).toSorted();
    assert.deepEqual(ends, ["BAD waiting", ...Array(3).fill("USDT done")]);
    assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
    const batches = (await signedRows(deps)).filter(({ purpose }) => purpose === "sweep");
    assert.equal(batches[0]!.paymentCount, collect === "batch" ? 3 : 1);
  });
}
