import assert from "node:assert/strict";
import { NodeError, TracesMissing } from "../../../../src/chains/faults.ts";
import type { Transfer } from "../../../../src/chains/chain.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, type Reply, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { makeWallet, makeWatch } from "../../../support/nodes/evm_wallet.ts";
import { type Fault, startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import { isTraceCall, refused, startNodeWithout } from "../../../support/nodes/tracing_nodes.ts";

let anvil: Anvil;
/** Two payments by contracts, in one block. */
let height: number;
let txHashes: readonly string[];
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  const disperse = await deploy(anvil, { name: "Disperse" });
  await anvil.rpc("evm_setAutomine", [false]);
  const data = disperse.encode("ether_", [[deposit], [5n]]);
  for (const from of anvil.accounts.slice(0, 2)) {
    const valueRaw = from === anvil.accounts[0] ? 5n : 6n;
    await sendTx(anvil, { from, to: disperse.address, data, valueRaw, isPooled: true });
  }
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  const block = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  height = Number(block.number);
  txHashes = block.transactions;
  await anvil.mine(5);
});
Deno.test.afterAll(() => anvil.stop());

const deposit = makeWallet(100).address;
const OTHER_HASH = `0x${"ab".repeat(32)}`;
const ZERO = `0x${"0".repeat(40)}`;

async function read(...urls: string[]): Promise<readonly Transfer[]> {
  const chain = connectEvm({ rpcUrls: urls, timeoutMs: 10_000 });
  const watch = makeWatch([deposit], [], { traces: true });
  return (await chain.readBlocks({ from: height, to: height }, watch))[0]!.transfers;
}

type Change = (traces: Reply[]) => unknown;

/** Answers like a node that has only `debug_traceBlockByHash`, or only `trace_block`. */
function withTraces(change: Change, { isParity = false } = {}): (method: string) => Fault {
  return (method) => {
    if (method === (isParity ? "debug_traceBlockByHash" : "trace_block")) return refused();
    if (!isTraceCall({ method })) return "pass";
    return {
      edit: (reply) => ({ ...reply, result: change(structuredClone(reply.result) as Reply[]) }),
    };
  };
}

async function readChanged(change: Change, options = {}): Promise<readonly Transfer[]> {
  await using node = await startFaultProxy(anvil.url, withTraces(change, options));
  return await read(node.url);
}

const CALL_TRACER_LIES: readonly (readonly [string, Change])[] = [
  ["null", () => null],
  ["nothing", () => []],
  ["only one trace", ([first]) => [first]],
  ["a trace too many", (traces) => [...traces, traces[0]]],
  ["another order", (traces) => traces.toReversed()],
  ["the trace of another transaction", ([first, last]) => [first, { ...last, txHash: OTHER_HASH }]],
  ["an error for one", ([first, { txHash }]) => [first, { txHash, error: "execution timeout" }]],
  ["an error beside a trace", ([first, last]) => [first, { ...last, error: "timeout" }]],
  ["no result for one", ([first, { txHash }]) => [first, { txHash }]],
  ["another order without hashes", (traces) => withoutHashes(traces).toReversed()],
  ["calls that are no list", ([first, last]) => [first, changed(last, { calls: {} })]],
  ["a frame without recipient", ([first, last]) => [first, changedCall(last, { to: undefined })]],
  ["a value that is a number", ([first, last]) => [first, changedCall(last, { value: 5 })]],
  ["a frame of a new type", ([first, last]) => [first, changedCall(last, { type: "AUTHCALL" })]],
];

const TRACE_BLOCK_LIES: readonly (readonly [string, Change])[] = [
  ["null", () => null],
  ["nothing", () => []],
  ["one transaction only", (traces) => traces.filter((it) => it.transactionHash === txHashes[0])],
  ["another order", (traces) => traces.toReversed()],
  ["another block", (traces) => traces.map((it) => ({ ...it, blockHash: OTHER_HASH }))],
  [
    "one trace of another block",
    ([first, ...rest]) => [{ ...first, blockHash: OTHER_HASH }, ...rest],
  ],
  ["another transaction", (traces) => traces.map(otherTransaction)],
  ["a root less", ([, ...rest]) => rest],
  ["a frame of a new type", (traces) => traces.map((it) => ({ ...it, type: "daofork" }))],
];

function withoutHashes(traces: Reply[]): Reply[] {
  return traces.map(({ result }) => ({ result }));
}

function changed(trace: Reply, result: Record<string, unknown>): Reply {
  return { ...trace, result: { ...trace.result, ...result } };
}

function changedCall(trace: Reply, call: Record<string, unknown>): Reply {
  return changed(trace, { calls: [{ ...trace.result.calls[0], ...call }] });
}

function otherTransaction(trace: Reply): Reply {
  const isFirst = trace.transactionHash === txHashes[0];
  return { ...trace, transactionHash: isFirst ? OTHER_HASH : trace.transactionHash };
}

for (const [what, change] of CALL_TRACER_LIES) {
  Deno.test(`a callTracer answer with ${what} is an error, never "no transfers"`, async () => {
    await assert.rejects(readChanged(change), TracesMissing);
  });
}

for (const [what, change] of TRACE_BLOCK_LIES) {
  Deno.test(`a trace_block answer with ${what} is an error, never "no transfers"`, async () => {
    await assert.rejects(readChanged(change, { isParity: true }), TracesMissing);
  });
}

Deno.test("traces without a transaction hash count in the block's order", async () => {
  const transfers = await readChanged(withoutHashes);
  assert.deepEqual(transfers.map((it) => it.txHash), txHashes);
});

Deno.test("rewards among the traces are ignored", async () => {
  const reward = { type: "reward", transactionHash: null, action: { author: ZERO, value: "0x5" } };
  const transfers = await readChanged(
    (traces) => [...traces, { ...reward, blockHash: traces[0].blockHash }],
    { isParity: true },
  );
  assert.deepEqual(transfers.map((it) => it.txHash), txHashes);
});

Deno.test("a transaction that only the protocol can have made may lack its trace", () =>
  anvil.isolated(async () => {
    const before = height;
    await anvil.rpc("anvil_impersonateAccount", [ZERO]);
    await anvil.rpc("evm_setAutomine", [false]);
    const disperse = await anvil.rpc("eth_getTransactionByHash", [txHashes[0]]);
    const { from, to, input, value } = disperse;
    const gasPrice = "0x77359400";
    await anvil.rpc("eth_sendTransaction", [{ from, to, input, value, gasPrice }]);
    await anvil.rpc("eth_sendTransaction", [{ from: ZERO, to: ZERO, gasPrice: "0x70000000" }]);
    await anvil.mine(1);
    await anvil.rpc("evm_setAutomine", [true]);
    height = Number(await anvil.rpc("eth_blockNumber"));
    try {
      const lies: Change[] = [
        (traces) => traces,
        ([first]) => [first],
        ([first, last]) => [first, { ...last, txHash: OTHER_HASH }],
        ([first, { txHash }]) => [first, { txHash, error: "no such message" }],
      ];
      for (const change of lies) assert.equal((await readChanged(change)).length, 1);
      await assert.rejects(readChanged(() => []), TracesMissing);
      const without = (traces: Reply[]) => traces.filter((it) => it.action.from !== ZERO);
      assert.equal((await readChanged(without, { isParity: true })).length, 1);
    } finally {
      height = before;
    }
  }));

Deno.test("one node without traces among others that have them changes nothing", async () => {
  await using bare = await startNodeWithout(anvil);
  const chain = connectEvm({ rpcUrls: [bare.url, anvil.url] });
  assert.equal(await chain.canTrace(), true);
  assert.equal((await read(bare.url, anvil.url)).length, 2);
  await assert.rejects(read(bare.url), TracesMissing);
});

/** The methods a gateway that doesn't know the node yet calls for one block. */
async function tracesAsked(onCall: (method: string) => Fault): Promise<unknown[]> {
  await using node = await startFaultProxy(anvil.url, onCall);
  assert.equal((await read(node.url)).length, 2);
  return node.bodies.flat().filter(isTraceCall).map(({ method }) => method);
}

Deno.test("anvil never has to run a block again, because it hangs if it mines meanwhile", async () => {
  const called = (name: Fault) => (method: string) =>
    method === "web3_clientVersion" ? name : "pass";
  const geth = called({ edit: (reply) => ({ ...reply, result: "Geth/v1.16.4-stable" }) });
  assert.deepEqual(await tracesAsked(() => "pass"), ["trace_block"]);
  for (const name of [geth, called(refused()), called({ status: 403, body: "" })]) {
    assert.deepEqual(await tracesAsked(name), ["debug_traceBlockByHash"]);
  }
});

async function canTrace(onCall: (method: string) => Fault): Promise<boolean> {
  await using node = await startFaultProxy(anvil.url, onCall);
  return await connectEvm({ rpcUrls: [node.url], timeoutMs: 10_000 }).canTrace();
}

const answering = (fault: Fault) => (method: string) => isTraceCall({ method }) ? fault : "pass";

Deno.test("a node can trace if it has either kind of traces", async () => {
  for (const missing of [[], ["debug_traceBlockByHash"], ["trace_block"]]) {
    assert.equal(await canTrace((method) => missing.includes(method) ? refused() : "pass"), true);
  }
});

Deno.test("a node that says in any way that it has no traces can't trace", async () => {
  const said: readonly (readonly [number, string])[] = [
    [-32601, "the method debug_traceBlockByHash does not exist/is not available"],
    [-32601, "Method not found"],
    [-32600, "Unsupported method: debug_traceBlockByHash on ETH_MAINNET"],
    [-32600, "debug_traceBlockByHash is not available on the Free tier - upgrade to Pay As You Go"],
    [-32000, "tracer not found"],
    [-32004, "nope"],
    [-32053, "Method trace_block is disabled"],
  ];
  for (const [code, message] of said) {
    assert.equal(await canTrace(answering(refused({ code, message }))), false, message);
  }
  for (const status of [400, 403, 404, 405]) {
    assert.equal(await canTrace(answering({ status, body: "" })), false, `${status}`);
  }
});

Deno.test("a passing failure doesn't answer whether a node can trace", async () => {
  const faults: readonly Fault[] = [
    { drop: "before" },
    { drop: "after" },
    { status: 429, body: "" },
    { status: 502, body: "" },
    refused({ code: -32005, message: "limit exceeded" }),
    refused({ code: -32000, message: "header not found" }),
    refused({ code: -32000, message: "missing trie node" }),
    refused({ code: -32000, message: "World state not available for block 5" }),
    { edit: (reply) => ({ ...reply, result: null }) },
  ];
  for (const fault of faults) {
    await assert.rejects(canTrace(answering(fault)), NodeError, JSON.stringify(fault));
  }
  await assert.rejects(canTrace(() => ({ status: 403, body: "" })), NodeError);
});

Deno.test("a dead node doesn't hide what the others can do", async () => {
  const dead = "http://127.0.0.1:9";
  await using bare = await startNodeWithout(anvil);
  const ask = (...rpcUrls: string[]) => connectEvm({ rpcUrls, timeoutMs: 10_000 }).canTrace();
  assert.equal(await ask(dead, anvil.url), true);
  assert.equal(await ask(dead, bare.url), false);
  await assert.rejects(ask(dead), NodeError);
});

Deno.test("a chain with only its first block can be asked", async () => {
  await using young = await startAnvil();
  const genesis = refused({ code: -32000, message: "genesis is not traceable" });
  await using geth = await startFaultProxy(young.url, answering(genesis));
  await using bare = await startNodeWithout(young);
  const ask = (url: string) => connectEvm({ rpcUrls: [url] }).canTrace();
  assert.deepEqual(
    [await ask(young.url), await ask(geth.url), await ask(bare.url)],
    [true, true, false],
  );
  await young.mine(1);
  await assert.rejects(ask(geth.url), /genesis/);
});
