import { type Excess, NodeError, TracesMissing } from "../../chain.ts";
import { hexOf, safeNumber } from "../decode.ts";
import { decodeBlock, type EvmBlock } from "./decode_block.ts";
import type { Endpoints } from "../endpoints.ts";
import type { InnerPayment } from "./inner_payments.ts";
import { isSaidBy } from "../../pool/endpoints.ts";
import type { Rpc } from "../rpc.ts";
import { isLimitCode, RpcFailure, RpcReplyError } from "../../pool/node_errors.ts";
import { NotTraced, TRACE_SOURCES, type TraceSource } from "./trace_sources.ts";

/** Remembers of a network's nodes which kind of traces each has. */
export interface Tracer {
  /** Whether so many nodes serve traces. */
  canTrace(endpoints: Endpoints, count: number): Promise<boolean>;
  /** What it said when it was last asked; null: it was not. */
  isTracing(host: string): boolean | null;
  /**
   * What contracts paid in this block, by transaction hash. An answer may have megabytes, so each
   * block has an HTTP body of its own.
   */
  trace(rpc: Rpc, block: EvmBlock): Promise<ReadonlyMap<string, readonly InnerPayment[]>>;
}

/** The node has none of the methods; asking it again is no use. */
class TracesUnsupported extends NodeError {
  override name = "TracesUnsupported";
}

/** Another backend of the same URL may not have the newest blocks yet. */
const PROBED_BELOW_TIP = 2;

export function createTracer(): Tracer {
  /** Null: it has none. */
  const sourceOf = new Map<string, TraceSource | null>();

  async function traceOn(rpc: Rpc, block: EvmBlock): Promise<Map<string, readonly InnerPayment[]>> {
    const refusals: string[] = [];
    for (const source of await sourcesFor(rpc)) {
      const { method, params } = source.callFor(block);
      try {
        const payments = source.read(await rpc.call(method, params), block);
        sourceOf.set(rpc.host, source);
        return payments;
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        refusals.push(error.message);
      }
    }
    sourceOf.set(rpc.host, null);
    throw new TracesUnsupported(`${rpc.host} serves no traces of blocks: ${refusals.join("; ")}`);
  }

  /** What it answered last comes first. Others may stand behind the same host. */
  async function sourcesFor(rpc: Rpc): Promise<Iterable<TraceSource>> {
    const known = sourceOf.get(rpc.host);
    if (known) return new Set([known, ...TRACE_SOURCES]);
    return await isAnvil(rpc) ? TRACE_SOURCES.toReversed() : TRACE_SOURCES;
  }

  async function canTraceOn(rpc: Rpc): Promise<boolean> {
    const tip = safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
    const height = Math.max(tip - PROBED_BELOW_TIP, Math.min(tip, 1));
    const block = await rpc.call("eth_getBlockByNumber", [hexOf(height), true]);
    try {
      await traceOn(rpc, decodeBlock(block, height));
      return true;
    } catch (error) {
      if (error instanceof TracesUnsupported) return false;
      if (height === 0 && isAboutGenesis(error)) return true;
      throw error;
    }
  }

  return {
    isTracing: (host) => sourceOf.has(host) ? sourceOf.get(host) !== null : null,
    canTrace: async (endpoints, count) => isSaidBy(count, await endpoints.each(canTraceOn)),
    trace: async (rpc, block) =>
      block.txs.length === 0 ? new Map() : await traceOn(rpc, block).catch(missing(block)),
  };
}

/**
 * It has kept what `trace_block` asks for. For the other it runs a block once for each transaction, and
 * stands still for ever where it mines one meanwhile.
 */
async function isAnvil(rpc: Rpc): Promise<boolean> {
  try {
    return String(await rpc.call("web3_clientVersion", [])).startsWith("anvil/");
  } catch (error) {
    if (error instanceof NodeError) return false;
    throw error;
  }
}

function missing({ ref }: EvmBlock): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NodeError)) throw error;
    const facts = { cause: error, isForgotten: isForgotten(error), excess: excessOf(error) };
    throw new TracesMissing(`No traces of block ${ref.height}: ${error.message}`, facts);
  };
}

/** Anybody can fill a block so that its trace has gigabytes: each call is told with all of its input. */
function excessOf(error: NodeError): Excess | undefined {
  if (error instanceof RpcFailure) {
    return error.kind === "too_large" ? "size" : error.kind === "timeout" ? "time" : undefined;
  }
  return isAboutExcess(error) ? "time" : undefined;
}

function isAboutExcess(error: NodeError): boolean {
  if (error instanceof RpcReplyError && isLimitCode(error.code)) return false;
  return /\btime(d )?-?out|too (large|big)|response size|size limit/i.test(error.message);
}

/** A full node says so of blocks that are too old; trouble on the way to one says nothing of the kind. */
function isForgotten(error: unknown): boolean {
  if (error instanceof NodeError && Array.isArray(error.cause)) {
    return error.cause.every(isForgotten);
  }
  if (error instanceof NotTraced) return /\bstate\b|\btrie\b|prun|not found/i.test(error.message);
  if (!(error instanceof RpcReplyError)) return false;
  return /\bstate\b|\btrie\b|prun/i.test(error.text) && !isLimitCode(error.code);
}

/** Providers say in many ways that a method or a plan lacks this; trouble of the moment is not it. */
function isUnsupported(error: unknown): error is RpcFailure | RpcReplyError {
  if (error instanceof RpcFailure) {
    return error.kind === "http_status" && /HTTP (400|401|402|403|404|405|501)\b/
      .test(error.message);
  }
  if (error instanceof NotTraced) return /\bstate\b|\btrie\b|prun|not found/i.test(error.message);
  if (!(error instanceof RpcReplyError)) return false;
  if (error.code === -32601 || error.code === -32004) return true;
  return UNSUPPORTED.test(error.text) && !/\bstate\b/i.test(error.text);
}

const UNSUPPORTED = new RegExp(
  [
    /unsupported|not supported|unknown method|method not found/,
    /method .{0,60}(not exist|n't exist|not available|unavailable|not allowed|disabled|not whitelisted)/,
    /(not |un)available (on|in|for) |not (enabled|permitted)|upgrade .{0,40}(plan|tier)/,
    /tracer not found/,
  ].map(({ source }) => source).join("|"),
  "i",
);

function isAboutGenesis(error: unknown): boolean {
  return error instanceof RpcReplyError && /genesis is not traceable/i.test(error.text);
}
