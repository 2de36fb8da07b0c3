import { zip } from "../../../base/lists.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { asText } from "../../shown.ts";
import { nodeAddress } from "../address.ts";
import { hash32, hexOf, isHash, type Json, list, quantity, record } from "../decode.ts";
import type { EvmBlock, EvmTx } from "./decode_block.ts";
import {
  type Frame,
  hasFailed,
  type InnerPayment,
  paymentsInTree,
  paymentsOf,
} from "./inner_payments.ts";
import type { RpcCall } from "../rpc.ts";

export type TracedBlock = Pick<EvmBlock["ref"], "height" | "hash">;

/** One call that traces every transaction of a block. */
export interface TraceSource {
  callFor(block: TracedBlock): RpcCall;
  /** By transaction hash. Fails if the answer is not about exactly this block. */
  read(answer: unknown, block: EvmBlock): Promise<Map<string, readonly InnerPayment[]>>;
}

/** The node has the block, but answered an error instead of a trace. */
export class NotTraced extends NodeError {
  override name = "NotTraced";
}

export const TRACE_SOURCES: readonly TraceSource[] = [
  {
    callFor: ({ hash }) => ({
      method: "debug_traceBlockByHash",
      params: [hash, { tracer: "callTracer" }],
    }),
    read: readCallTracer,
  },
  {
    callFor: ({ height }) => ({ method: "trace_block", params: [hexOf(height)] }),
    read: readTraceBlock,
  },
];

async function readCallTracer(
  answer: unknown,
  block: EvmBlock,
): Promise<Map<string, readonly InnerPayment[]>> {
  const items = list(answer, "a block's traces");
  const missing = block.txs.slice(items.length);
  if (items.length > block.txs.length || !missing.every(isMadeByProtocol)) {
    throw new NodeError(
      `Block ${block.ref.height} has ${block.txs.length} transactions and ${items.length} traces`,
    );
  }
  const traced = zip(items, block.txs.slice(0, items.length));
  return new Map(
    await mapInPortions(
      traced,
      async (
        [item, tx],
      ): Promise<[string, InnerPayment[]]> => [
        tx.hash,
        await readTraced(record(item, "a trace"), tx),
      ],
    ),
  );
}

async function readTraced(item: Json, tx: EvmTx): Promise<InnerPayment[]> {
  const hasHash = item.txHash !== undefined;
  const isOther = hasHash && hash32(item.txHash, "a trace's txHash") !== tx.hash;
  if ((isOther || hasFailed(item)) && isMadeByProtocol(tx)) return [];
  if (isOther) throw new NodeError(`The trace of ${item.txHash} stands in place of ${tx.hash}`);
  if (hasFailed(item)) throw new NotTraced(`No trace of ${tx.hash}: ${asText(item.error)}`);
  const root = record(item.result, "a trace");
  if (!hasHash && !isRootOf(tx, root)) {
    throw new NodeError(`The trace in place of ${tx.hash} is of another transaction`);
  }
  return await paymentsInTree(root);
}

/** Older nodes don't say which transaction a trace belongs to. */
function isRootOf(tx: EvmTx, { from, to, value }: Json): boolean {
  return nodeAddress(from, "a trace's sender") === tx.from &&
    quantity(value ?? "0x0", "a trace's value") === tx.valueRaw &&
    (tx.to === null || nodeAddress(to, "a trace's recipient") === tx.to);
}

/**
 * Nobody has this sender's key: Polygon's bridge writes such transactions, and nodes trace them
 * inconsistently.
 */
function isMadeByProtocol({ from }: EvmTx): boolean {
  return from === "0x0000000000000000000000000000000000000000";
}

/** This call asks by number, so the answer may be about another block at that height. */
async function readTraceBlock(
  answer: unknown,
  block: EvmBlock,
): Promise<Map<string, readonly InnerPayment[]>> {
  const traces = list(answer, "a block's traces").map((item) => record(item, "a trace"));
  for (const trace of traces) {
    const { hash } = block.ref;
    if (isHash(trace.blockHash, { hash, what: "a trace's blockHash" })) continue;
    throw new NodeError(`The node answered traces of another block than ${block.ref.hash}`);
  }
  const ofTxs = traces.filter(({ type }) => type !== "reward");
  const known = new Map<unknown, string>(block.txs.map(({ hash }) => [hash, hash]));
  const hashOf = ({ transactionHash: given }: Json) =>
    known.get(given) ?? hash32(given, "a trace's transaction");
  const byTx = Map.groupBy(ofTxs, hashOf);
  const expected = block.txs.filter((tx) => byTx.has(tx.hash) || !isMadeByProtocol(tx));
  if ([...byTx.keys()].join() !== expected.map(({ hash }) => hash).join()) {
    throw new NodeError(`The traces of block ${block.ref.height} are of other transactions`);
  }
  return new Map(
    await mapInPortions(
      [...byTx],
      async ([hash, ofTx]): Promise<[string, InnerPayment[]]> => [hash, await paymentsInList(ofTx)],
    ),
  );
}

/** Depth first; a traceAddress is the path from the root, and [] is the root itself. */
async function paymentsInList(traces: readonly Json[]): Promise<InnerPayment[]> {
  const frames: Frame[] = [];
  let failedAt: string | undefined;
  for (const [i, trace] of traces.entries()) {
    const path = `${list(trace.traceAddress, "a trace's address").map(asText).join("/")}/`;
    if ((path === "/") !== (i === 0)) throw new NodeError("A transaction's traces have no root");
    if (failedAt !== undefined && isBelow(path, failedAt)) continue;
    failedAt = hasFailed(trace) ? path : undefined;
    if (failedAt === undefined && i > 0) frames.push(frameOf(trace));
  }
  return await paymentsOf(frames);
}

function isBelow(path: string, above: string): boolean {
  return above === "/" || path.startsWith(above);
}

function frameOf({ type, action, result }: Json): Frame {
  const { from, to, value, callType, address, refundAddress, balance } = record(
    action,
    "an action",
  );
  switch (type) {
    case "call":
      return { type: asText(callType).toUpperCase(), from, to, value };
    case "create":
      return { type: "CREATE", from, to: record(result, "a creation").address, value };
    case "suicide":
    case "selfdestruct":
      return { type: "SELFDESTRUCT", from: address, to: refundAddress, value: balance };
    default:
      return { type: asText(type), from, to, value };
  }
}
