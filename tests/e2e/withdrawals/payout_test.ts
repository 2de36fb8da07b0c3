import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { NEVER, startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { balanceOf, eventsOf, withdraw } from "../../support/views.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

const SEND = "eth_sendRawTransaction";
const ANSWER_WITHIN_MS = 10_000;
const UNTOUCHED = { balance: "100", held: "0", available: "100" };

const refuse = (message: string): Fault => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message } }),
});

/** What nodes may do with bytes after accepting them. */
const TAKEN: readonly { title: string; fault: Fault }[] = [
  { title: "drops the connection (hazard 35)", fault: { drop: "after" } },
  {
    title: "answers HTTP 502 (hazard 35)",
    fault: { status: 502, body: "bad gateway", forwarded: true },
  },
  { title: "answers no JSON (hazard 35)", fault: { status: 200, body: "<html>", forwarded: true } },
  ...["already known", "transaction already imported", "nonce too low", "txpool is full"].map(
    (message) => ({
      title: `says "${message}" (hazards 36, 37)`,
      fault: {
        edit: ({ id }: { id: number }) => ({
          id,
          jsonrpc: "2.0",
          error: { code: -32000, message },
        }),
      },
    }),
  ),
];

for (const { title, fault } of TAKEN) {
  Deno.test(`a withdrawal whose node takes the bytes and ${title} is broadcasted and paid once`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
    const { api, hotWallet } = world.merchant;
    proxy.onCall = (method) => method === SEND ? fault : "pass";
    const reply = await withdraw(api, { to: STRANGER, amount: "1" });
    const id = sentId(reply);
    assert.match(reply.body.data.tx_hash, /^0x[0-9a-f]{64}$/);
    await world.round({ aheadMs: 30_000 });
    proxy.onCall = () => "pass";
    await settleAll(world);
    assert.equal(await statusOf(api, id), "confirmed");
    assert.equal(await nonceOf(anvil, hotWallet), 1);
    assert.equal(await receivedBy(anvil, STRANGER), ETHER);
    await auditPayer(world);
  });
}

Deno.test("a node that never answers isn't waited for longer than 10 s (hazard 35)", async () => {
  await using anvil = await startAnvil();
  const cases = await Promise.all(
    [
      { method: SEND, isForwarded: true, status: 200 },
      { method: SEND, isForwarded: false, status: 200 },
      { method: "eth_estimateGas", isForwarded: false, status: 502 },
      { method: "eth_getTransactionCount", isForwarded: false, status: 502 },
    ].map(async (each) => {
      const double = await startNodeDouble(anvil.url, (_call, ask) => ask());
      const world = await startPayingWorld({ anvil, rpcUrls: [double.url] });
      return { ...each, double, world };
    }),
  );
  try {
    await Promise.all(cases.map(async ({ double, world, method, isForwarded, status }) => {
      double.answer = async (call, ask) => {
        if (call.method !== method) return await ask();
        if (isForwarded) await ask();
        return NEVER;
      };
      using stopwatch = startStopwatch();
      const reply = await withdraw(world.merchant.api, { to: STRANGER, amount: "1" });
      assert.ok(stopwatch.ms() < ANSWER_WITHIN_MS, method);
      assert.equal(reply.status, status, JSON.stringify(reply.body));
      double.answer = (_call, ask) => ask();
    }));
    for (const { world, status } of cases) {
      await world.round({ aheadMs: 30_000 });
      await settleAll(world);
      await auditPayer(world);
      const paid = status === 200 ? "98.9949" : "100";
      assert.deepEqual(await balanceOf(world.merchant.api), {
        balance: paid,
        held: "0",
        available: paid,
      });
      assert.equal(await nonceOf(anvil, world.merchant.hotWallet), status === 200 ? 1 : 0);
    }
    assert.equal(await receivedBy(anvil, STRANGER), 2n * ETHER);
  } finally {
    for (const { double, world } of cases) {
      await world[Symbol.asyncDispose]();
      await double[Symbol.asyncDispose]();
    }
  }
});

for (const said of ["intrinsic gas too low", "insufficient funds for gas * price + value"]) {
  Deno.test(`a withdrawal that every endpoint refuses with "${said}" is 502 and released (hazard 48)`, async () => {
    await using anvil = await startAnvil();
    await using one = await startFaultProxy(anvil.url, () => "pass");
    await using two = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startPayingWorld({ anvil, rpcUrls: [one.url, two.url] });
    const { api, hotWallet } = world.merchant;
    const order = { to: STRANGER, amount: "1", reference: "refused" };
    for (const proxy of [one, two]) {
      proxy.onCall = (method) => method === SEND ? refuse(said) : "pass";
    }
    const id = rejectedId(await withdraw(api, order));
    assert.deepEqual(await balanceOf(api), UNTOUCHED);
    const [reported] = await eventsOf(world.deps, "withdrawal.failed");
    assert.deepEqual([reported.id, reported.status, reported.reason], [
      id,
      "failed",
      "broadcast_rejected",
    ]);
    const replay = await withdraw(api, order);
    assert.deepEqual([replay.status, replay.body.data.id, replay.body.data.status], [
      200,
      id,
      "failed",
    ]);
    for (const proxy of [one, two]) proxy.onCall = () => "pass";
    await world.round({ aheadMs: 30_000 });
    assert.equal(await nonceOf(anvil, hotWallet), 0, "Nothing is sent later");
    const next = sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
    const [refused, taken] = await transfersOf(world);
    assert.deepEqual([refused!.place, taken!.place], [0, 0]);
    await settleAll(world);
    assert.equal(await statusOf(api, next), "confirmed");
    assert.equal(await receivedBy(anvil, STRANGER), 2n * ETHER);
    await assert.rejects(anvil.rpc(SEND, [refused!.raw]), /nonce too low/);
    await auditPayer(world);
  });
}

Deno.test("a withdrawal that one of two endpoints accepts is broadcasted, whatever the other says", async () => {
  await using anvil = await startAnvil();
  await using broken = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [broken.url, anvil.url] });
  const { api } = world.merchant;
  broken.onCall = (method) => method === SEND ? refuse("intrinsic gas too low") : "pass";
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  await auditPayer(world);
});

Deno.test("a withdrawal while the node is dead is 502 at once, and nothing is sent when it is back", async () => {
  const statePath = await Deno.makeTempFile({ prefix: "cpg-anvil-" });
  await Deno.remove(statePath);
  let anvil = await startAnvil({ statePath });
  const { port } = anvil;
  try {
    await using world = await startPayingWorld({ anvil });
    const { api, hotWallet } = world.merchant;
    await world.round();
    await anvil.stop();
    using stopwatch = startStopwatch();
    rejectedId(await withdraw(api, { to: STRANGER, amount: "1" }));
    assert.ok(stopwatch.ms() < 2_000);
    assert.deepEqual(await balanceOf(api), UNTOUCHED);
    assert.deepEqual(await transfersOf(world), []);
    anvil = await startAnvil({ statePath, port });
    await world.round({ aheadMs: 60_000 });
    await settleAll(world);
    assert.equal(await nonceOf(anvil, hotWallet), 0);
    sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
    await settleAll(world);
    await auditPayer(world);
  } finally {
    await anvil.stop();
    await Deno.remove(statePath).catch(() => {});
  }
});

Deno.test("a recipient that needs more gas is paid, and one that takes no coins is 502 (hazard 28)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const hungry = await deploy(anvil, { name: "Hungry" });
  const rejector = await deploy(anvil, { name: "Rejector" });
  rejectedId(await withdraw(api, { to: rejector.address, amount: "1" }));
  assert.deepEqual(await balanceOf(api), UNTOUCHED);
  assert.deepEqual(await transfersOf(world), []);
  const id = sentId(await withdraw(api, { to: hungry.address, amount: "1" }));
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  assert.equal(await hungry.read("count"), 1n);
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  await auditPayer(world);
});
