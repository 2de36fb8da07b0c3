import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { MOVED_TOPIC, NOT_MOVED_TOPIC } from "../../../src/chains/evm/collector/carried_out.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { settleTransfers } from "../../../src/settlement/settle_transfers.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { COMES_TO, WAYS } from "../../chains/evm/collector/odd_ways.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
} from "../../support/collecting.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { type Contract, deploy } from "../../support/nodes/contracts.ts";
import type { Fault, RpcReply } from "../../support/nodes/fault_proxy.ts";
import { ETHER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { depositStates, payIn, RECEIVER, sweepsOf } from "../../support/sweeping.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { alertsOf, allocate } from "../../support/views.ts";

/** Whatever is called there reverts. */
const REVERTING = "0x60006000fd";

async function collect(scene: Scene): Promise<void> {
  await collectTogether(scene.world.deps, {
    place: await scene.place(),
    sweepings: await scene.due(),
  });
}

/** What one more customer has paid in another token, which is swept with the others. */
async function payInOther(
  { world: { deps, merchant: { api, accountId } }, world, look }: Scene,
  token: Contract,
): Promise<string> {
  await makeToken(deps, { network: "ETH", contract: token.address, symbol: "ODD" });
  await enable(deps, { accountId, network: "ETH", currency: "ODD" });
  const { address } = await allocate(api, { currency: "ODD", user: "another customer" });
  await payIn(world, { to: address, raw: PAID, token });
  await look(4);
  return address;
}

const answer = (raw: bigint): Fault => ({
  edit: ({ result: _, error: __, ...reply }) => ({
    ...reply,
    result: `0x${raw.toString(16).padStart(64, "0")}`,
  }),
});

const fail = (error: { code: number; message: string }): Fault => ({
  edit: ({ result: _, ...reply }) => ({ ...reply, error }),
});

/** From now on the first node has its own answer where it is asked for what the token held at a block. */
function sayBalances({ proxy }: Scene, token: Contract, fault: Fault): void {
  proxy.onCall = (method, [call, at]) => {
    if (method !== "eth_call" || typeof at !== "object") return "pass";
    const { to } = call as { to: string };
    return to.toLowerCase() === token.address.toLowerCase() ? fault : "pass";
  };
}

const RECEIPT_LIES: Readonly<Record<string, (reply: RpcReply) => unknown>> = {
  "weren't carried out": (reply) =>
    JSON.parse(JSON.stringify(reply).replaceAll(MOVED_TOPIC, NOT_MOVED_TOPIC)),
  "weren't tried": (reply) => {
    const { logs, ...receipt } = reply.result as { logs: { topics: string[] }[] };
    const left = logs.filter(({ topics }) => topics[0] !== MOVED_TOPIC);
    return { ...reply, result: { ...receipt, logs: left } };
  },
  "weren't tried but for the first": (reply) => {
    const { logs, ...receipt } = reply.result as { logs: { topics: string[]; data: string }[] };
    const left = logs.filter(({ topics, data }) => topics[0] !== MOVED_TOPIC || !BigInt(data));
    return { ...reply, result: { ...receipt, logs: left } };
  },
};

for (const [what, edit] of Object.entries(RECEIPT_LIES)) {
  Deno.test(`orders that one of two nodes says ${what} aren't given back`, async () => {
    await using scene = await startScene(3, { hasSecondNode: true });
    const { world, token, anvil, proxy, addresses } = scene;
    const { deps } = world;
    let lies = 0;
    proxy.onCall = (method) => {
      if (method !== "eth_getTransactionReceipt") return "pass";
      lies++;
      return { edit };
    };
    await collect(scene);
    await scene.look(4);
    assert.ok(lies > 0);
    assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"));
    assert.deepEqual(await depositStates(world), Array(3).fill("sweep_pending"));
    await scene.look(40);
    assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), ["not_final_as_read"]);
    proxy.onCall = () => "pass";
    // What comes meanwhile is never taken for what has moved.
    await payIn(world, { to: addresses[2]!, raw: PAID, token });
    await world.turn(12);
    assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
    assert.deepEqual(await depositStates(world), Array(4).fill("swept"));
    assert.equal(await heldBy(token, RECEIVER), 4n * PAID);
    assert.equal(await receivedBy(anvil, RECEIVER), 0n);
    assert.deepEqual(await alertsOf(deps), []);
    await checkBooks(scene);
  });
}

Deno.test("one false answer about one order, given once, keeps no batch from being settled", async () => {
  await using scene = await startScene(3, { hasSecondNode: true });
  const { token, proxy } = scene;
  let lies = 0;
  const edit = (reply: RpcReply) => {
    lies++;
    return JSON.parse(JSON.stringify(reply).replace(MOVED_TOPIC, NOT_MOVED_TOPIC));
  };
  proxy.onCall = (method) =>
    method === "eth_getTransactionReceipt" && lies === 0 ? { edit } : "pass";
  await collect(scene);
  await scene.look(4);
  assert.equal(lies, 1);
  assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"));
  await scene.look(1);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await checkBooks(scene);
});

Deno.test("while nodes go on disagreeing about a batch, its block is read again once in minutes", async () => {
  await using scene = await startScene(3, { hasSecondNode: true });
  const { anvil, proxy, world: { deps } } = scene;
  const edit = RECEIPT_LIES["weren't carried out"]!;
  proxy.onCall = (method) => method === "eth_getTransactionReceipt" ? { edit } : "pass";
  await collect(scene);
  await anvil.mine(3);
  const network = await findNetwork(deps, "ETH");
  while (!(await followNetwork(deps, network)).isCaughtUp);
  for (const atMs of [1_000_000, 1_170_000, 1_190_000]) {
    await settleTransfers({ ...deps, clock: { nowMs: () => atMs } }, network);
    const againAtMs = atMs === 1_170_000 ? 1_000_000 : atMs;
    assert.equal(deps.memory.readAgain.get("ETH")?.atMs, againAtMs);
  }
  assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"));
});

Deno.test("an order that both nodes call failed is given back, and the others are done", async () => {
  await using scene = await startScene(3, { hasSecondNode: true });
  const { world, anvil } = scene;
  const odd = await deploy(anvil, { name: "OddToken" });
  await payInOther(scene, odd);
  await anvil.rpc("evm_setAutomine", [false]);
  await collect(scene);
  await anvil.rpc("anvil_setCode", [odd.address, REVERTING]);
  await scene.look(4);
  const ends = (await sweepsOf(world)).map(({ currency, state }) => `${currency} ${state}`);
  assert.deepEqual(ends.toSorted(), ["ODD waiting", ...Array(3).fill("USDT done")]);
});

Deno.test("a batch whose orders have all moved is judged by one look at one node", async () => {
  await using scene = await startScene(3, { hasSecondNode: true });
  const { world: { deps }, anvil, proxy } = scene;
  await collect(scene);
  await anvil.mine(3);
  const network = await findNetwork(deps, "ETH");
  while (!(await followNetwork(deps, network)).isCaughtUp);
  const before = proxy.bodies.length;
  await settleTransfers(deps, network);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  const calls = proxy.bodies.slice(before).flat().map(({ method }) => method);
  assert.deepEqual(new Set(calls), new Set(["eth_getBlockByNumber", "eth_call", "eth_getBalance"]));
});

Deno.test("tokens that one of two nodes says are still there have moved", async () => {
  await using scene = await startScene(3, { hasSecondNode: true });
  await collect(scene);
  sayBalances(scene, scene.token, answer(PAID));
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  assert.deepEqual((await alertsOf(scene.world.deps)).map(({ kind }) => kind), []);
});

Deno.test("a token that logs a transfer and moves nothing parks its sweep, and the others are done", async () => {
  await using scene = await startScene(2, { hasSecondNode: true });
  const { world, world: { deps }, anvil } = scene;
  const odd = await deploy(anvil, { name: "OddToken" });
  const address = await payInOther(scene, odd);
  await odd.send("behave", [BigInt(WAYS.indexOf("only logs"))]);
  assert.ok(!COMES_TO["only logs"].moves);
  await scene.look(4);
  await collect(scene);
  await scene.look(4);
  assert.equal(await heldBy(odd, address), PAID);
  const ends = (await sweepsOf(world)).map(({ currency, state }) => `${currency} ${state}`);
  assert.deepEqual(ends.toSorted(), ["ODD parked", "USDT done", "USDT done"]);
  const parked = (await alertsOf(deps)).find(({ kind }) => kind === "sweep_parked");
  assert.match(parked!.message, /was mined and moved nothing$/);
});

Deno.test("a token whose balances grow by themselves, or are rounded, moves in a batch as well", async () => {
  await using scene = await startScene();
  const { anvil, proxy, world: { deps } } = scene;
  await collect(scene);
  await anvil.mine(1);
  const [batch] = await signedRows(deps);
  const { blockHash } = await anvil.rpc("eth_getTransactionReceipt", [batch!.txHash]);
  proxy.onCall = (method, [, at]) =>
    method === "eth_call" && (at as { blockHash?: string }).blockHash === blockHash
      ? answer(PAID / 1_000n)
      : "pass";
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), []);
});

Deno.test("where one token tells no balance its logs count, and the others are judged as always", async () => {
  await using scene = await startScene(3);
  const { world, anvil } = scene;
  const broken = await deploy(anvil, { name: "OddToken" });
  await payInOther(scene, broken);
  await collect(scene);
  sayBalances(scene, broken, fail({ code: 3, message: "execution reverted" }));
  await scene.look(4);
  const ends = (await sweepsOf(world)).map(({ currency, state }) => `${currency} ${state}`);
  assert.deepEqual(ends.toSorted(), ["ODD done", ...Array(3).fill("USDT done")]);
  await checkBooks(scene);
});

Deno.test("a batch whose balances no node keeps any more is judged by its logs", async () => {
  await using scene = await startScene();
  const { proxy } = scene;
  await collect(scene);
  proxy.onCall = (_method, [, at]) =>
    typeof at === "object" && at !== null && "blockHash" in at
      ? fail({ code: -32000, message: "missing trie node" })
      : "pass";
  await scene.look(90);
  assert.deepEqual(await statesOf(scene), ["sweeping", "sweeping", "sweeping"]);
  await scene.look(20);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
});

for (const traces of ["off", "auto"] as const) {
  Deno.test(`coins that a contract pays in hide none that a batch moves (traces ${traces})`, async () => {
    await using scene = await startScene(3, { currency: "ETH", paidRaw: ETHER });
    const { world, anvil, addresses } = scene;
    const { deps } = world;
    await setNetwork(deps, { code: "ETH", change: { traces }, actor: "test" });
    const inner = await deploy(anvil, { name: "Inner" });
    await scene.look(4);
    await anvil.rpc("evm_setAutomine", [false]);
    await collect(scene);
    for (const address of addresses) {
      await inner.send("pay", [address, 1n], { valueRaw: 1n, gas: 200_000, isPooled: true });
    }
    await scene.look(4);
    for (const address of addresses) assert.equal(await receivedBy(anvil, address), 1n);
    assert.equal(await receivedBy(anvil, RECEIVER), 3n * ETHER);
    assert.deepEqual((await statesOf(scene)).slice(0, 3), ["done", "done", "done"]);
    assert.deepEqual((await depositStates(world)).slice(0, 3), Array(3).fill("swept"));
    const { differences, surplus } = await reconcile(deps, { network: undefined });
    assert.deepEqual(differences, []);
    assert.equal(surplus.length, traces === "off" ? 3 : 0, "What nobody saw come in");
  });
}

Deno.test("tokens that an order's own recipient pays in hide none that the batch moves", async () => {
  await using scene = await startScene(2);
  const { world: { deps }, anvil, token, addresses } = scene;
  const odd = await deploy(anvil, { name: "OddToken" });
  await payInOther(scene, odd);
  // In the middle of its own payment it pays each of the others as much as they lose.
  await odd.send("prepare", [
    addresses.map((to) => ({
      target: token.address,
      value: 0n,
      data: token.encode("mint", [to, PAID]),
    })),
  ]);
  await odd.send("behave", [BigInt(WAYS.indexOf("enters"))]);
  await scene.look(4);
  await collect(scene);
  await scene.look(4);
  for (const one of addresses) assert.equal(await heldBy(token, one), PAID);
  assert.equal(await heldBy(token, RECEIVER), 2n * PAID);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), ["own_funds_moved"]);
});
