import assert from "node:assert/strict";
import { rescan } from "../../../src/following/rescan.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import type { NetworkRow } from "../../../src/networks/table.ts";
import { audit } from "../../support/auditor.ts";
import { depositWith, onlyDeposit } from "../../support/deposits.ts";
import { type Reply, startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { isTraceCall, refused, startNodeWithout } from "../../support/nodes/tracing_nodes.ts";
import { ETHER, makePayer, mineRaw } from "../../support/payers.ts";
import { auditPayer, sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  cursorOf,
  depositsOf,
  eventsOf,
  withdraw,
} from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const BY_HAND = { CPG_WORKER: "false" };

async function setTraces({ deps }: World, traces: NetworkRow["traces"]): Promise<void> {
  await setNetwork(deps, { code: "ETH", change: { traces }, actor: "test" });
}

async function rescanAll({ deps }: World): Promise<number> {
  return (await rescan(deps, { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" }))
    .found;
}

Deno.test("coins sent by contracts are credited once, and look-alikes not at all (hazards 18, 19, 20, 21)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const inner = await deploy(anvil, { name: "Inner" });
  const lender = await deploy(anvil, { name: "Inner" });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api, { user: "one" });
  const two = (await allocate(api, { user: "two" })).address;
  const batch = await disperse.send("ether_", [[address, two, address], [ETHER, 2n * ETHER, 1n]], {
    valueRaw: 3n * ETHER + 1n,
  });
  await inner.send("bomb", [address, 5n], { valueRaw: 5n });
  await inner.send("payInVainThen", [two, 70n, 7n], { valueRaw: 70n });
  await inner.send("lend", [lender.address, two, 8n], { valueRaw: 8n });
  await inner.send("payAndFail", [two, 900n], { valueRaw: 900n, gas: 200_000 });
  await anvil.mine(2);
  const rows = await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 6 && rows.every((row) => row.status === "confirmed"),
  });
  assert.deepEqual(rows.map((row) => row.amount_decimal).sort(), [
    "0.000000000000000001",
    "0.000000000000000005",
    "0.000000000000000007",
    "0.000000000000000008",
    "1",
    "2",
  ]);
  const batched = rows.filter((row) => row.tx_hash === batch);
  assert.equal(batched.length, 3);
  assert.ok(batched.every((row) => row.from_address === disperse.address));
  assert.equal((await balanceOf(api)).balance, "3.000000000000000021");
  assert.equal((await eventsOf(world.deps, "deposit.confirmed")).length, 6);
  assert.equal(await rescanAll(world), 0);
  await audit({ api, anvil, addresses: [address, two] });
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("with traces off, coins sent by contracts are missed, and a rescan with traces finds each once", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await setTraces(world, "off");
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await disperse.send("ether_", [[address, address], [ETHER, ETHER]], { valueRaw: 2n * ETHER });
  await anvil.mine(3);
  await world.round();
  assert.deepEqual(await depositsOf(api), []);
  assert.equal(await rescanAll(world), 0);
  await setTraces(world, "on");
  assert.equal(await rescanAll(world), 2);
  assert.equal(await rescanAll(world), 0);
  await world.round();
  assert.equal((await balanceOf(api)).balance, "2");
  await audit({ api, anvil, addresses: [address] });
  assert.deepEqual(world.faults, []);
});

Deno.test("a reorg moves an inner payment to another block, and it stays one deposit (hazard 3)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, minConfirmations: 5 });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const payer = await makePayer(anvil, 77);
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const hash = await disperse.send("ether_", [[payer.address, address], [1n, ETHER]], {
    valueRaw: ETHER + 1n,
  });
  const raw = await anvil.rpc("eth_getRawTransactionByHash", [hash]);
  await anvil.mine(1);
  const before = await depositWith(api, { confirmations: 2 });
  await anvil.rpc("anvil_reorg", [2, []]);
  await depositWith(api, { confirmations: 0 });
  await anvil.mine(2);
  const height = await mineRaw(anvil, raw);
  await anvil.mine(4);
  const after = await depositWith(api, { status: "confirmed" });
  assert.deepEqual([after.id, after.block_number], [before.id, height]);
  assert.equal((await depositsOf(api)).length, 1);
  await audit({ api, anvil, addresses: [address], minConfirmations: 5 });
});

Deno.test("a payment read again from a different kind of node is the same deposit", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startNodeWithout(anvil, ["trace_block"]);
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const inner = await deploy(anvil, { name: "Inner" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await inner.send("payChecked", [address, ETHER], { valueRaw: ETHER });
  await anvil.mine(2);
  await world.round();
  const before = await onlyDeposit(api);
  // Answers like Erigon: `trace_block` alone, without precompiles that got no coins.
  proxy.onCall = (method) => {
    if (method === "debug_traceBlockByHash") return refused();
    return method === "trace_block" ? { edit: withoutPrecompiles } : "pass";
  };
  let dropped = 0;
  const withoutPrecompiles = (reply: Reply) => {
    const result = reply.result.filter((it: Reply) => !/^0x0{39}1$/.test(it.action.to));
    dropped += reply.result.length - result.length;
    return { ...reply, result };
  };
  await world.restart();
  assert.equal(await rescanAll(world), 0);
  assert.ok(dropped > 0);
  assert.deepEqual((await onlyDeposit(api)).id, before.id);
  assert.equal((await balanceOf(api)).balance, "1");
});

Deno.test("a network whose node never had traces goes without them on auto, and waits with on", async () => {
  await using anvil = await startAnvil();
  await using bare = await startNodeWithout(anvil);
  await using world = await startWorld({ anvil, rpcUrls: [bare.url], env: BY_HAND });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await world.round();
  await anvil.mine(1);
  await world.round();
  assert.deepEqual(await depositsOf(api), []);
  assert.deepEqual(world.faults, []);
  const probes = bare.bodies.flat().filter(isTraceCall);
  assert.equal(probes.length, 2, "it is asked once, for either kind of traces");
  await setTraces(world, "on");
  const { scanHeight } = await cursorOf(world.deps);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await world.round();
  assert.equal((await cursorOf(world.deps)).scanHeight, scanHeight);
  assert.match(world.faults.join(), /serves no traces of blocks/);
});

Deno.test("a node that stops tracing stops its network with an alert, until it traces again", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await world.round();
  const { scanHeight } = await cursorOf(world.deps);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await anvil.mine(2);
  const stands = async () => {
    await world.round();
    assert.equal((await cursorOf(world.deps)).scanHeight, scanHeight);
    assert.deepEqual(await depositsOf(api), []);
    return (await alertsOf(world.deps)).map(({ kind, open }) => [kind, open]);
  };

  proxy.onCall = (method) => isTraceCall({ method }) ? { status: 503, body: "" } : "pass";
  assert.deepEqual(await stands(), [], "trouble of the moment is a fault and no alert");
  proxy.onCall = (method) => isTraceCall({ method }) ? refused() : "pass";
  assert.deepEqual(await stands(), [["traces_gone", 1]]);
  assert.deepEqual(await stands(), [["traces_gone", 1]]);
  await world.restart();
  assert.deepEqual(await stands(), [["traces_gone", 1]]);

  proxy.onCall = () => "pass";
  await world.round();
  assert.equal((await onlyDeposit(api)).status, "confirmed");
  await audit({ api, anvil, addresses: [address] });
});

Deno.test("an operator can give up traces that are gone, and the alert closes", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using second = await startFaultProxy(anvil.url, () => "pass");
  const rpcUrls = [proxy.url, second.url];
  await using world = await startWorld({ anvil, rpcUrls, env: BY_HAND });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await world.round();
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  proxy.onCall = (method) => isTraceCall({ method }) ? refused() : "pass";
  await anvil.mine(1);
  await world.round();
  assert.equal((await depositsOf(api)).length, 1, "the other node tells them still");
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  second.onCall = proxy.onCall;
  await world.round({ aheadMs: 600_000 });
  assert.equal((await alertsOf(world.deps))[0]!.open, 1);
  for (const traces of ["off", "auto"] as const) {
    await setTraces(world, traces);
    await anvil.mine(2);
    await world.round();
    const head = Number(await anvil.rpc("eth_blockNumber"));
    assert.equal((await cursorOf(world.deps)).scanHeight, head);
  }
  assert.deepEqual(await alertsOf(world.deps), []);
  assert.equal((await depositsOf(api)).length, 1);
});

Deno.test("on auto the nodes are asked again after a while whether they trace", async () => {
  await using anvil = await startAnvil();
  await using bare = await startNodeWithout(anvil);
  await using world = await startWorld({ anvil, rpcUrls: [bare.url], env: BY_HAND });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await anvil.mine(1);
  await world.round();
  bare.onCall = () => "pass";
  const pay = () => disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await pay();
  await world.round();
  assert.deepEqual(await depositsOf(api), []);
  await pay();
  await world.round({ aheadMs: 600_000 });
  assert.equal((await depositsOf(api)).length, 1);
});

Deno.test("a withdrawal to a contract that passes it on to a deposit address is a deposit there", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const other = await world.addMerchant("Other");
  const { address } = await allocate(other.api);
  const forwarder = "0x00000000000000000000000000000000000000F0";
  // CALL with all that came in (CALLVALUE, 34) to the address, and nothing else.
  await anvil.rpc("anvil_setCode", [forwarder, `0x60006000600060003473${address.slice(2)}5af100`]);
  sentId(await withdraw(world.merchant.api, { to: forwarder, amount: "2" }));
  await settleAll(world);
  assert.deepEqual(
    (await depositsOf(other.api)).map((row) => [row.amount_decimal, row.status]),
    [["2", "confirmed"]],
  );
  await audit({ api: other.api, anvil, addresses: [address] });
  await auditPayer(world);
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("after an outage longer than a node's memory, old blocks are read without traces and reported", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api, { user: "patient" });
  await world.round();
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  const forgotten = Number(await anvil.rpc("eth_blockNumber"));
  await anvil.mine(100);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  const { hash } = await anvil.rpc("eth_getBlockByNumber", [`0x${forgotten.toString(16)}`, false]);
  proxy.onCall = (method, [block]) =>
    isTraceCall({ method }) && [hash, `0x${forgotten.toString(16)}`].includes(block)
      ? { edit: ({ id }) => ({ id, error: { code: -32000, message: "missing trie node" } }) }
      : "pass";
  await world.round();
  const head = Number(await anvil.rpc("eth_blockNumber"));
  assert.equal((await cursorOf(world.deps)).scanHeight, head);
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["blocks_untraced"]);
  assert.deepEqual((await depositsOf(api)).map((row) => row.block_number), [head]);
});
