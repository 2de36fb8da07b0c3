import assert from "node:assert/strict";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER } from "../../support/payers.ts";
import { allocate, type Allocated, depositsOf, requestOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const HOUR_S = 3_600;
const SECOND = { CPG_DISPLAY_WINDOW: "1", CPG_MONITORING_WINDOW: "1", CPG_REUSE_WINDOW: "1" };
/** No worker follows the chain, so the gateway is away until its next round. */
const AWAY = { ...SECOND, CPG_WORKER: "false" };

const nowS = () => Math.floor(Date.now() / 1000);

/** A chain whose clock was so far behind when it began. */
async function startChain(behindS: number): Promise<Anvil> {
  return await startAnvil({ args: ["--timestamp", String(nowS() - behindS)] });
}

async function payAt(anvil: Anvil, { to, atS }: { to: string; atS: number }): Promise<void> {
  await anvil.rpc("evm_setNextBlockTimestamp", [atS]);
  await sendTx(anvil, { to, valueRaw: ETHER });
}

/** The same address for one customer after the other, and when the second one got it. */
async function allocateTwice(world: World, between: (first: Allocated) => Promise<void>) {
  const { api } = world.merchant;
  const first = await allocate(api);
  await eventually(() => requestOf(api, first.requestId), {
    until: ({ display_expires_at }) => Date.now() > Date.parse(display_expires_at) + 1000,
  });
  await between(first);
  const second = await allocate(api);
  assert.equal(second.address, first.address);
  return { first, second };
}

async function catchUp(world: World, anvil: Anvil): Promise<void> {
  await anvil.rpc("evm_setNextBlockTimestamp", [nowS()]);
  await anvil.mine(1);
  await anvil.mine(1);
  await world.round();
  assert.deepEqual(world.faults, []);
}

async function listed(world: World, requests: readonly Allocated[]): Promise<number[]> {
  const { api } = world.merchant;
  const reported = await Promise.all(requests.map(({ requestId }) => requestOf(api, requestId)));
  return reported.map(({ transactions }) => transactions.length);
}

async function alertsOf({ deps }: World) {
  return await deps.db.query("SELECT kind, message FROM alerts");
}

Deno.test("a late payment found after a handover is listed under the request of its time", async () => {
  await using anvil = await startChain(HOUR_S);
  await using world = await startWorld({ anvil, env: AWAY });
  await world.round();
  const { first, second } = await allocateTwice(world, async ({ address: to }) => {
    await payAt(anvil, { to, atS: nowS() - HOUR_S / 2 });
  });
  await catchUp(world, anvil);
  assert.deepEqual(await listed(world, [first, second]), [1, 0]);
  assert.equal((await requestOf(world.merchant.api, first.requestId)).status, "settled");
  assert.deepEqual(await alertsOf(world), []);

  await sendTx(anvil, { to: second.address, valueRaw: ETHER });
  await anvil.mine(2);
  await world.round();
  assert.deepEqual(await listed(world, [first, second]), [1, 1], "What comes now is the second's");
  await audit({ api: world.merchant.api, anvil, addresses: [first.address] });
});

Deno.test("a payment just before a handover is credited, listed nowhere and shown to the operator", async () => {
  await using anvil = await startChain(HOUR_S);
  await using world = await startWorld({ anvil, env: AWAY });
  await world.round();
  const { first, second } = await allocateTwice(world, async ({ address: to }) => {
    await payAt(anvil, { to, atS: nowS() - 15 });
  });
  await catchUp(world, anvil);
  assert.deepEqual(await listed(world, [first, second]), [0, 0]);
  const [deposit] = await depositsOf(world.merchant.api);
  assert.equal(deposit!.status, "confirmed");
  const [alert, ...others] = await alertsOf(world);
  assert.deepEqual([alert!.kind, others], ["deposit_unlisted", []]);
  const { requestId: before } = first;
  const { requestId: after } = second;
  assert.match(String(alert!.message), new RegExp(`from request ${before} to request ${after}`));
  await audit({ api: world.merchant.api, anvil, addresses: [first.address] });
});

Deno.test("if the chain's clock is an hour off, payments to a reused address are listed nowhere", async () => {
  await using anvil = await startChain(HOUR_S);
  await using world = await startWorld({ anvil, env: AWAY });
  await world.round();
  const { first, second } = await allocateTwice(world, async () => {});
  await sendTx(anvil, { to: second.address, valueRaw: ETHER });
  await anvil.mine(2);
  await world.round();
  assert.deepEqual(await listed(world, [first, second]), [0, 0]);
  assert.deepEqual((await alertsOf(world)).map(({ kind }) => kind), ["deposit_unlisted"]);
  assert.equal((await depositsOf(world.merchant.api))[0]!.status, "confirmed");
});
