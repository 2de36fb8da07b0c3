import assert from "node:assert/strict";
import { AnswerMemory } from "../../../src/sandbox/faults/answer_memory.ts";
import { disturbReplies, toLaggard } from "../../../src/sandbox/faults/disturb_replies.ts";
import type { FaultKind } from "../../../src/sandbox/faults/fault_kinds.ts";
import type { RpcCall, RpcReply } from "../../../src/sandbox/faults/rpc_proxy.ts";

const BALANCE = { id: 0, method: "eth_getBalance", params: ["0xa", "latest"] };
const HEAD = { id: 1, method: "eth_getBlockByNumber", params: ["latest", false] };
const CALLS = [BALANCE, HEAD];
const REPLIES = [{ id: 0, result: "0x5" }, { id: 1, result: block(9) }];

function block(height: number) {
  const hash = `0x${"12".repeat(31)}0${height}`;
  return { number: `0x${height}`, hash, transactions: [{ blockHash: hash }] };
}

function remembering(...answers: [RpcCall, RpcReply][]): AnswerMemory {
  const memory = new AnswerMemory();
  for (const [call, reply] of answers) memory.remember(call, reply);
  return memory;
}

function disturbed(kind: FaultKind, options: { at?: number; memory?: AnswerMemory } = {}) {
  const { at = 0, memory = remembering() } = options;
  return disturbReplies({ kind, at, dice: 0.9 }, { calls: CALLS, replies: REPLIES, memory });
}

Deno.test("null, no logs and an error replace one result, under its own id", () => {
  assert.deepEqual(disturbed("null_result"), [{ id: 0, result: null }, REPLIES[1]]);
  assert.deepEqual(disturbed("empty_logs", { at: 1 }), [REPLIES[0], { id: 1, result: [] }]);
  const error = { code: -32603, message: "Internal error" };
  assert.deepEqual(disturbed("node_error"), [{ id: 0, error }, REPLIES[1]]);
});

Deno.test("a batch lacks one answer, or has all of them in another order", () => {
  assert.deepEqual(disturbed("missing_item", { at: 1 }), [REPLIES[0]]);
  assert.deepEqual(disturbed("shuffled_batch"), REPLIES.toReversed());
});

Deno.test("a stale answer is an earlier, different one to the same question, if there is one", () => {
  const memory = remembering(
    [BALANCE, { id: 7, result: "0x4" }],
    [{ ...BALANCE, params: ["0xb", "latest"] }, { id: 7, result: "0x6" }],
    [BALANCE, { id: 7, result: "0x5" }],
    [BALANCE, { id: 7, result: null }],
  );
  assert.deepEqual(disturbed("stale", { memory }), [{ id: 0, result: "0x4" }, REPLIES[1]]);
  const same = remembering([BALANCE, { id: 7, result: "0x5" }]);
  assert.equal(disturbed("stale", { memory: same }), undefined);
});

Deno.test("a foreign answer is one to another question of the same method, if there is one", () => {
  const memory = remembering(
    [{ ...BALANCE, params: ["0xb", "latest"] }, { id: 7, result: "0x6" }],
    [{ ...BALANCE, method: "eth_getCode" }, { id: 7, result: "0x8" }],
  );
  assert.deepEqual(disturbed("foreign_answer", { memory }), [{ id: 0, result: "0x6" }, REPLIES[1]]);
  const own = remembering([BALANCE, { id: 7, result: "0x6" }]);
  assert.equal(disturbed("foreign_answer", { memory: own }), undefined);
});

Deno.test("a forged block has another hash wherever it names its own, the same one each time", () => {
  const forge = () => disturbed("forged_block", { at: 1 }) as typeof REPLIES;
  const [, { result }] = forge() as [unknown, { result: ReturnType<typeof block> }];
  assert.notEqual(result.hash, block(9).hash);
  assert.match(result.hash, /^0x[0-9a-f]{64}$/);
  assert.deepEqual(result, {
    ...block(9),
    hash: result.hash,
    transactions: [{ blockHash: result.hash }],
  });
  assert.deepEqual(forge(), forge());
});

Deno.test("a lagging head is a block up to five below the highest known one", () => {
  const memory = remembering([HEAD, REPLIES[1]!], [HEAD, { id: 1, result: block(8) }]);
  const asked = (dice: number, call: RpcCall) =>
    toLaggard(call, { kind: "lagging_head", at: 0, dice }, memory).params;
  assert.deepEqual(asked(0, HEAD), ["0x8", false]);
  assert.deepEqual(asked(0.99, HEAD), ["0x4", false]);
  const count = { id: 0, method: "eth_blockNumber", params: [] };
  assert.deepEqual(asked(0.5, count), ["0x6", false]);
  const replies = [{ id: 0, result: block(6) }];
  const decision = { kind: "lagging_head", at: 0, dice: 0.5 } as const;
  assert.deepEqual(disturbReplies(decision, { calls: [count], replies, memory }), [
    { id: 0, result: "0x6" },
  ]);
  assert.equal(toLaggard(HEAD, decision, remembering()), HEAD);
  assert.equal(
    disturbReplies(decision, { calls: [HEAD], replies: [REPLIES[1]!], memory: remembering() }),
    undefined,
  );
});
