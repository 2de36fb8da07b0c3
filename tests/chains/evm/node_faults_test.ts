import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { RpcFailure } from "../../../src/chains/pool/node_errors.ts";
import { type Anvil, type Reply, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy, sendTx } from "../../support/nodes/contracts.ts";
import { makeWallet, makeWatch } from "../../support/nodes/evm_wallet.ts";
import { type OnCall, type RpcReply, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { NO_TEXT } from "../../support/nodes/no_text.ts";

let anvil: Anvil;
let token: Contract;
const deposit = makeWallet(1).address;
const deposits = [deposit];
const range = { from: 2, to: 5 };

/** One token payment in block 3, one in coins in block 4. */
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  await anvil.mine(1);
  await token.send("mint", [deposit, 9n]);
  await sendTx(anvil, { to: deposit, valueRaw: 4n });
  await anvil.mine(1);
});
Deno.test.afterAll(() => anvil.stop());

async function readThrough(onCall: OnCall, clean = false, traces = false) {
  await using proxy = await startFaultProxy(anvil.url, onCall);
  const chain = connectEvm({ rpcUrls: clean ? [proxy.url, anvil.url] : [proxy.url] });
  const blocks = await chain.readBlocks(range, makeWatch(deposits, [token.address], { traces }));
  return blocks.flatMap((block) => block.transfers.map((it) => it.amountRaw));
}

/** Applies `change` to a copy of each result of `method`. */
function editing(method: string, change: (result: Reply) => unknown): OnCall {
  return (called) => {
    if (called !== method) return "pass";
    const edit = (reply: RpcReply) => ({ ...reply, result: change(reply.result) });
    return { edit };
  };
}

type Path = readonly (string | number)[];

/** The value itself, and everything in it; of a list only its first item. */
function pathsIn(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [[]];
  const inner = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  return [[], ...[...inner].flatMap(([key, item]) => pathsIn(item).map((path) => [key, ...path]))];
}

function withAt(value: Reply, [key, ...rest]: Path, lie: unknown): unknown {
  if (key === undefined) return lie;
  value[key] = withAt(value[key], rest, lie);
  return value;
}

const other = `0x${"ab".repeat(32)}`;

Deno.test("the payments are there if nothing is wrong", async () => {
  assert.deepEqual(await readThrough(() => "pass"), [9n, 4n]);
});

Deno.test("no object in place of any value of an answer keeps the next endpoint from being asked", async () => {
  const answers = new Map<string, unknown>();
  const note: OnCall = (method) => ({
    edit: (reply) => {
      answers.set(method, reply.result);
      return reply;
    },
  });
  for (const traces of [false, true]) await readThrough(note, false, traces);
  assert.ok(answers.size > 2, [...answers.keys()].join());
  for (const [method, result] of answers) {
    for (const path of pathsIn(result)) {
      const lie = editing(method, (result) => withAt(structuredClone(result), path, NO_TEXT));
      assert.deepEqual(await readThrough(lie, true, true), [9n, 4n], `${method} ${path.join(".")}`);
    }
  }
});

Deno.test("a backend that answers no logs loses no deposit (hazard 8)", async () => {
  assert.deepEqual(await readThrough(editing("eth_getLogs", () => [])), [9n, 4n]);
});

Deno.test("nor if it can't serve a block's receipts together (hazard 8)", async () => {
  const refusal = { code: -32601, message: "the method eth_getBlockReceipts does not exist" };
  const onCall: OnCall = (method) => {
    if (method === "eth_getLogs") return { edit: (reply) => ({ ...reply, result: [] }) };
    if (method === "eth_getBlockReceipts") return { edit: ({ id }) => ({ id, error: refusal }) };
    return "pass";
  };
  assert.deepEqual(await readThrough(onCall), [9n, 4n]);
});

Deno.test("a backend without logs and receipts is an error (hazard 8)", async () => {
  const onCall: OnCall = (method) => {
    if (method === "eth_getLogs") return { edit: (reply) => ({ ...reply, result: [] }) };
    if (method === "eth_getBlockReceipts") return { edit: (reply) => ({ ...reply, result: null }) };
    return "pass";
  };
  await assert.rejects(readThrough(onCall), NodeError);
});

Deno.test("receipts of another block prove nothing about this one (hazard 8)", async () => {
  const onCall: OnCall = (method) => {
    if (method === "eth_getLogs") return { edit: (reply) => ({ ...reply, result: [] }) };
    if (method !== "eth_getBlockReceipts") return "pass";
    const edit = (reply: RpcReply) => ({
      ...reply,
      result: (reply.result as Reply[]).map((it) => ({ ...it, blockHash: other, logs: [] })),
    });
    return { edit };
  };
  await assert.rejects(readThrough(onCall), NodeError);
});

const contradictions: readonly [string, OnCall][] = [
  ["a null block", editing("eth_getBlockByNumber", () => null)],
  ["an empty object for a block", editing("eth_getBlockByNumber", () => ({}))],
  [
    "another block's number",
    editing("eth_getBlockByNumber", (it) => it.transactions.length ? it : { ...it, number: "0x9" }),
  ],
  [
    "a block of another fork",
    editing("eth_getBlockByNumber", (it) => ({ ...it, parentHash: other })),
  ],
  [
    "a block without a bloom",
    editing("eth_getBlockByNumber", (it) => ({ ...it, logsBloom: null })),
  ],
  [
    "transaction hashes only",
    editing("eth_getBlockByNumber", (it) => ({ ...it, transactions: [other] })),
  ],
  [
    "a transaction of another block",
    editing("eth_getBlockByNumber", (it) => ({
      ...it,
      transactions: it.transactions.map((tx: Reply) => ({ ...tx, blockHash: other })),
    })),
  ],
  [
    "a value as a JSON number (hazard 53)",
    editing("eth_getBlockByNumber", (it) => ({
      ...it,
      transactions: it.transactions.map((tx: Reply) => ({ ...tx, value: 9007199254740993 })),
    })),
  ],
  ["null for logs", editing("eth_getLogs", () => null)],
  ["logs of another block", editing("eth_getLogs", (it) => [{ ...it[0], blockHash: other }])],
  ["logs of another height", editing("eth_getLogs", (it) => [{ ...it[0], blockNumber: "0x1" }])],
  [
    "logs of a foreign transaction",
    editing("eth_getLogs", (it) => [{ ...it[0], transactionHash: other }]),
  ],
  ["removed logs", editing("eth_getLogs", (it) => [{ ...it[0], removed: true }])],
  ["a log twice", editing("eth_getLogs", (it) => [it[0], it[0]])],
  [
    "logs of a contract not asked for",
    editing("eth_getLogs", (it) => [{ ...it[0], address: deposit }]),
  ],
  ["no receipt", editing("eth_getTransactionReceipt", () => null)],
  [
    "a receipt of another block",
    editing("eth_getTransactionReceipt", (it) => ({ ...it, blockHash: other })),
  ],
  [
    "a block's receipts of another block",
    editing("eth_getBlockReceipts", (all) => all.map((it: Reply) => ({ ...it, blockHash: other }))),
  ],
  [
    "a block's receipts of another transaction",
    editing(
      "eth_getBlockReceipts",
      (all) => all.map((it: Reply) => ({ ...it, transactionHash: other })),
    ),
  ],
  [
    "a receipt of another transaction",
    editing("eth_getTransactionReceipt", (it) => ({ ...it, transactionHash: other })),
  ],
  [
    "a receipt without a status",
    editing("eth_getTransactionReceipt", ({ status: _, ...it }) => it),
  ],
  [
    "a receipt without its logs",
    editing("eth_getTransactionReceipt", (it) => ({ ...it, logs: [] })),
  ],
  [
    "a receipt with the logs in another order",
    editing("eth_getTransactionReceipt", (it) => ({ ...it, logs: [...it.logs, ...it.logs] })),
  ],
];

for (const [what, onCall] of contradictions) {
  Deno.test(`a node that answers ${what} is not believed (hazard 9)`, async () => {
    await assert.rejects(readThrough(onCall), NodeError);
  });

  Deno.test(`the next node is asked after one that answers ${what}`, async () => {
    assert.deepEqual(await readThrough(onCall, true), [9n, 4n]);
  });
}

Deno.test("a rate limit is an error and not an empty block (hazard 52)", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: 429, message: "slow" } });
  for (const method of ["eth_getBlockByNumber", "eth_getLogs", "eth_getTransactionReceipt"]) {
    for (const status of [429, 200]) {
      const limited: OnCall = (called) => called === method ? { status, body } : "pass";
      await assert.rejects(readThrough(limited), RpcFailure, `${method} ${status}`);
    }
  }
});

Deno.test("a connection that breaks during any request is an error", async () => {
  for (const method of ["eth_getBlockByNumber", "eth_getLogs", "eth_getTransactionReceipt"]) {
    for (const drop of ["before", "after"] as const) {
      await assert.rejects(
        readThrough((called) => called === method ? { drop } : "pass"),
        RpcFailure,
      );
    }
  }
});

Deno.test("a block is undefined only if the node answers null", async () => {
  const refAt = async (onCall: OnCall, height: number) => {
    await using proxy = await startFaultProxy(anvil.url, onCall);
    return await connectEvm({ rpcUrls: [proxy.url] }).refAt(height);
  };
  assert.equal((await refAt(() => "pass", 3))?.height, 3);
  assert.equal(await refAt(() => "pass", 99), undefined);
  await assert.rejects(refAt(() => ({ status: 429, body: "" }), 3), NodeError);
  await assert.rejects(refAt(editing("eth_getBlockByNumber", () => ({})), 3), NodeError);
});
