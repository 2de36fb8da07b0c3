import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { type Anvil, type Reply, startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { makeWallet, makeWatch } from "../../support/nodes/evm_wallet.ts";
import { type Fault, type OnCall, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { eventually } from "../../support/programs/eventually.ts";

const SAME_GENESIS = ["--timestamp", "1700000000"];
const deposit = makeWallet(1).address;
const watch = makeWatch([deposit]);
let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil({ args: SAME_GENESIS });
  await anvil.rpc("evm_setAutomine", [false]);
  for (const to of [deposit, makeWallet(2).address]) {
    await sendTx(anvil, { to, valueRaw: 7n, isPooled: true });
  }
  await anvil.mine(4);
});
Deno.test.afterAll(() => anvil.stop());

function instead(change: (result: Reply) => unknown): Fault {
  return { edit: (reply) => ({ ...reply, result: change(reply.result) }) };
}

/** Full blocks, with other transactions under the right hash. */
function retelling(change: (txs: Reply[]) => Reply[]): OnCall {
  return (method, [, isFull]) =>
    method === "eth_getBlockByNumber" && isFull === true
      ? instead((block) => ({ ...block, transactions: change(block.transactions) }))
      : "pass";
}

const LIES: readonly (readonly [string, OnCall])[] = [
  [
    "leaves a payment out of a block",
    retelling((txs) => txs.filter(({ to }) => to?.toLowerCase() !== deposit.toLowerCase())),
  ],
  [
    "says that a payment was larger",
    retelling((txs) => txs.map((tx) => ({ ...tx, value: "0xffffffffff" }))),
  ],
  [
    "says that another's payment was for us",
    retelling((txs) => txs.map((tx) => ({ ...tx, to: deposit }))),
  ],
];

for (const [what, onCall] of LIES) {
  Deno.test(`an endpoint that ${what} under the right hash is outvoted by a quorum of two (hazard 51)`, async () => {
    await using liar = await startFaultProxy(anvil.url, onCall);
    const range = { from: 1, to: 4 };
    const read = async (rpcUrls: string[], quorum: number) => {
      const chain = connectEvm({ rpcUrls, quorum });
      await chain.tip();
      const blocks = await chain.readBlocks(range, watch);
      return blocks.flatMap((block) => block.transfers.map((it) => it.amountRaw));
    };
    assert.notDeepEqual(await read([liar.url], 1), [7n]);
    assert.deepEqual(await read([liar.url, anvil.url, anvil.url], 2), [7n]);
    await assert.rejects(read([liar.url, anvil.url], 2), /2 endpoints must agree .* 1 do/);
  });
}

Deno.test("an endpoint that is outvoted about blocks is reported once, and asked last for a minute", async () => {
  const lie = retelling((txs) => txs.map((tx) => ({ ...tx, value: "0xffffffffff" })));
  let asked = 0;
  await using liar = await startFaultProxy(anvil.url, (method, params, body) => {
    if (method === "eth_getBlockByNumber" && params[1] === true) asked++;
    return lie(method, params, body);
  });
  let nowMs = 0;
  const waiting = { clock: { nowMs: () => nowMs }, sleep: () => new Promise<void>(() => {}) };
  const warned: unknown[] = [];
  const warn = (text: string, fields = {}) => void warned.push({ text, ...fields });
  const rpcUrls = [liar.url, anvil.url, anvil.url];
  const log = { info: () => {}, warn };
  const chain = connectEvm({ rpcUrls, quorum: 2, waiting, log });
  await chain.tip();
  const read = async () => {
    asked = 0;
    const [block] = await chain.readBlocks({ from: 1, to: 1 }, watch);
    assert.deepEqual(block?.transfers.map(({ amountRaw }) => amountRaw), [7n]);
    return asked;
  };
  const seen: number[] = [];
  for (const waitMs of [0, 0, 59_999, 1, 0, 60_000]) {
    nowMs += waitMs;
    seen.push(await read());
  }
  assert.deepEqual(seen, [1, 0, 0, 1, 0, 1]);
  const { host } = new URL(liar.url);
  const text = "endpoint reads blocks otherwise than the others";
  assert.deepEqual(warned, [{ text, network: undefined, host }]);
  liar.onCall = () => "pass";
  nowMs += 60_000;
  await read();
  liar.onCall = lie;
  await read();
  assert.equal(warned.length, 2, "It agreed in between");
});

Deno.test("a contradicted endpoint isn't believed alone until it agrees or the others are long gone", async () => {
  await using fork = await startAnvil({ args: SAME_GENESIS });
  await fork.mine(30);
  await using first = await startFaultProxy(anvil.url, () => "pass");
  await using second = await startFaultProxy(anvil.url, () => "pass");
  let nowMs = 0;
  const waiting = { clock: { nowMs: () => nowMs }, sleep: () => new Promise<void>(() => {}) };
  const reported: string[] = [];
  const log = { info: () => {}, warn: (message: string) => void reported.push(message) };
  const rpcUrls = [fork.url, first.url, second.url];
  const chain = connectEvm({ rpcUrls, waiting, log });
  const { height } = await chain.tip();
  assert.equal(height, 4);
  assert.deepEqual(reported, ["endpoint contradicts the others"]);
  for (const proxy of [first, second]) proxy.onCall = () => ({ drop: "before" });
  for (const ask of [chain.tip, () => chain.refAt(3), () => chain.walletState(deposit, [])]) {
    await assert.rejects(ask, NodeError);
  }
  nowMs += 599_999;
  await assert.rejects(chain.tip(), /Only endpoints answer that others contradicted/);
  for (const proxy of [first, second]) proxy.onCall = () => "pass";
  // Endpoints that failed before are asked, and not waited for: they count from when they answer.
  const back = await eventually(() => chain.tip().catch(() => undefined), {
    until: (tip) => tip !== undefined,
  });
  assert.equal(back!.height, height);
  for (const proxy of [first, second]) proxy.onCall = () => ({ drop: "before" });
  nowMs += 600_001;
  assert.equal((await chain.tip()).height, 30);
});

Deno.test("an endpoint that makes up blocks to prove its head stops leading once they can't be read", async () => {
  const tip = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  const head = Number(tip.number);
  const madeUp = (height: number) => ({
    ...tip,
    number: `0x${height.toString(16)}`,
    hash: `0x${height.toString(16).padStart(64, "0")}`,
    parentHash: height === head + 1 ? tip.hash : `0x${"0".repeat(64)}`,
  });
  await using liar = await startFaultProxy(anvil.url, (_method, [tag]) => {
    if (tag === "latest") return instead(() => madeUp(head + 50));
    return [head + 1, head + 50].includes(Number(tag))
      ? instead(() => madeUp(Number(tag)))
      : "pass";
  });
  const chain = connectEvm({ rpcUrls: [liar.url, anvil.url] });
  assert.equal((await chain.tip()).height, head + 50);
  await assert.rejects(chain.readBlocks({ from: head + 1, to: head + 50 }, watch), NodeError);
  assert.equal((await chain.tip()).height, head);
});

Deno.test("an endpoint alone on a chain far ahead is followed only until the others have another block", async () => {
  const nodes = [
    await startAnvil({ args: SAME_GENESIS }),
    await startAnvil({ args: SAME_GENESIS }),
  ];
  const [honest, liar] = nodes as [Anvil, Anvil];
  for (const node of nodes) {
    await node.rpc("evm_setNextBlockTimestamp", [1_700_000_100]);
    await node.mine(1);
  }
  await liar.mine(30);
  const chain = connectEvm({ rpcUrls: [liar.url, honest.url, honest.url] });
  assert.equal((await chain.tip()).height, 31);
  await sendTx(honest, { to: deposit, valueRaw: 1n });
  await chain.tip();
  const { height, hash } = await chain.tip();
  assert.deepEqual([height, hash], [2, (await connectEvm({ rpcUrls: [honest.url] }).tip()).hash]);
  assert.equal((await chain.refAt(2))?.hash, hash);
  await Promise.all(nodes.map((node) => node.stop()));
});

Deno.test("a reorganisation that every endpoint sees is followed, even if one sees it later", async () => {
  await using node = await startAnvil({ args: SAME_GENESIS });
  await node.mine(10);
  const old = await node.rpc("eth_getBlockByNumber", ["0xa", false]);
  await using late = await startFaultProxy(node.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [late.url, node.url, node.url] });
  assert.equal((await chain.tip()).hash, old.hash);
  await node.rpc("anvil_reorg", [3, []]);
  const { hash } = await node.rpc("eth_getBlockByNumber", ["0xa", false]);
  assert.notEqual(hash, old.hash);
  late.onCall = (_method, [tag]) => tag === "latest" || tag === "0xa" ? instead(() => old) : "pass";
  const follows = { until: (found: { hash: string } | undefined) => found?.hash === hash };
  await eventually(() => chain.tip(), follows);
  await eventually(() => chain.refAt(10), follows);
  late.onCall = () => "pass";
  assert.equal((await chain.tip()).hash, hash);
  assert.equal(await chain.witnesses({ height: 10, hash }), 3);
});

Deno.test("rate limits in the middle of a scan cost a few more requests and no answer (hazard 52)", async () => {
  await using node = await startAnvil();
  await node.mine(200);
  let nowMs = 0;
  const sleep = async (ms: number) => {
    const untilMs = nowMs + ms;
    await new Promise((resolve) => setTimeout(resolve));
    nowMs = Math.max(nowMs, untilMs);
  };
  await using proxy = await startFaultProxy(node.url, () => "pass");
  proxy.onCall = () => proxy.bodies.length % 5 === 0 ? { status: 429, body: "" } : "pass";
  const chain = connectEvm({
    rpcUrls: [proxy.url],
    waiting: { clock: { nowMs: () => nowMs }, sleep },
  });
  const { height } = await chain.tip();
  assert.equal((await chain.readBlocks({ from: 1, to: height }, watch)).length, 200);
  assert.ok(proxy.bodies.length <= 30, `${proxy.bodies.length} requests for 21 that were needed`);
});
