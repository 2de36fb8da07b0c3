import type { RpcCall } from "./rpc_proxy.ts";

/** Faults of honest nodes and networks. None of them may change what is booked. */
export const BROKEN_FAULTS = [
  /** The connection dies before the node has seen the request. */
  "drop_request",
  /** The node has it, but the caller doesn't know. */
  "drop_answer",
  "delay",
  /** HTTP 429 with Retry-After. */
  "rate_limit",
  /** HTTP 502 or 503 from something in between; the node may have seen the request. */
  "gateway_page",
  /** The answer ends in the middle. */
  "truncate",
  /** The node gets it twice. */
  "duplicate",
  /** An earlier answer to the same question. */
  "stale",
  /** A block that was the newest a while ago. */
  "lagging_head",
  "null_result",
  /** An `error` member: busy, or too much. */
  "node_error",
  "missing_item",
  /** A batch in a different order. */
  "shuffled_batch",
  /** No logs, as from a node that lacks the block. */
  "empty_logs",
] as const;

/** Lies that only another node could expose. */
export const LIES = [
  /** A true answer to another question. */
  "foreign_answer",
  /** A block of another chain. */
  "forged_block",
] as const;

export type FaultKind = typeof BROKEN_FAULTS[number] | typeof LIES[number];

/** Whether the fault makes sense for this call of a request. */
export function canHit(kind: FaultKind, call: RpcCall, callCount: number): boolean {
  if (kind === "missing_item" || kind === "shuffled_batch") return callCount > 1;
  if (kind === "empty_logs") return call.method === "eth_getLogs";
  if (kind === "lagging_head") return asksForHead(call);
  if (kind === "forged_block") return call.method.startsWith("eth_getBlockBy");
  return true;
}

export function asksForHead({ method, params }: RpcCall): boolean {
  return method === "eth_blockNumber" ||
    (method === "eth_getBlockByNumber" && params[0] === "latest");
}
