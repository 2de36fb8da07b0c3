import { at } from "../../base/lists.ts";
import type { AnswerMemory } from "./answer_memory.ts";
import type { Decision } from "./fault_plan.ts";
import { blockIn, type RpcCall, type RpcReply, type RpcResult } from "./rpc_proxy.ts";

interface Asked {
  readonly calls: readonly RpcCall[];
  readonly replies: readonly RpcReply[];
  readonly memory: AnswerMemory;
}

const BEHIND_MAX = 5;
const NODE_ERRORS = [
  { code: -32005, message: "limit exceeded" },
  { code: -32603, message: "Internal error" },
];

/**
 * Asks for an earlier block instead of the head, if a head is known. Other questions stay as they
 * are.
 */
export function toLaggard(call: RpcCall, { kind, dice }: Decision, memory: AnswerMemory): RpcCall {
  if (kind !== "lagging_head" || memory.head === undefined) return call;
  const height = Math.max(0, memory.head - 1 - pick(dice, BEHIND_MAX));
  const params = [`0x${height.toString(16)}`, call.params[1] ?? false];
  return { ...call, method: "eth_getBlockByNumber", params };
}

/** Undefined if this fault finds nothing to work with. */
export function disturbReplies(decision: Decision, asked: Asked): unknown[] | undefined {
  const { kind, at, dice } = decision;
  const { replies } = asked;
  if (kind === "missing_item") return replies.toSpliced(at, 1);
  if (kind === "shuffled_batch") {
    const turn = 1 + pick(dice, replies.length - 1);
    return [...replies.slice(turn), ...replies.slice(0, turn)];
  }
  const disturbed = disturbReply(decision, asked);
  return disturbed === undefined ? undefined : replies.with(at, disturbed);
}

function disturbReply({ kind, at: place, dice }: Decision, asked: Asked): RpcReply | undefined {
  const { calls, replies, memory } = asked;
  const call = at(calls, place);
  const reply = at(replies, place);
  const { error: _, ...rest } = reply;
  switch (kind) {
    case "null_result":
      return { ...rest, result: null };
    case "empty_logs":
      return { ...rest, result: [] };
    case "node_error": {
      const { result: _, ...unanswered } = rest;
      return { ...unanswered, error: at(NODE_ERRORS, pick(dice, NODE_ERRORS.length)) };
    }
    case "stale":
      return withOneOf(memory.earlier(call), { reply, dice });
    case "foreign_answer":
      return withOneOf(memory.foreign(call), { reply, dice });
    case "lagging_head":
      return asLaggard(call, { reply, memory });
    case "forged_block":
      return forged(reply);
    default:
      return undefined;
  }
}

/** Repeating the same answer is no fault. */
function withOneOf(
  results: readonly RpcResult[],
  { reply, dice }: { reply: RpcReply; dice: number },
): RpcReply | undefined {
  const now = JSON.stringify(reply.result);
  const others = results.filter((result) => JSON.stringify(result) !== now);
  if (others.length === 0) return undefined;
  const { error: _, ...rest } = reply;
  return { ...rest, result: at(others, pick(dice, others.length)) };
}

function asLaggard(
  { method }: RpcCall,
  { reply, memory }: { reply: RpcReply; memory: AnswerMemory },
): RpcReply | undefined {
  const { number } = blockIn(reply.result);
  if (memory.head === undefined || number === undefined) return undefined;
  return method === "eth_blockNumber" ? { ...reply, result: number } : reply;
}

/** Replaces the block's hash everywhere, always with the same lie. */
function forged(reply: RpcReply): RpcReply | undefined {
  const { hash } = blockIn(reply.result);
  if (!hash) return undefined;
  const other = `0x${[...hash.slice(2)].toReversed().join("")}`;
  return JSON.parse(JSON.stringify(reply).replaceAll(hash, other));
}

function pick(dice: number, count: number): number {
  return Math.floor(dice * count);
}
