import { type Excess, NodeError, TracesMissing } from "../../faults.ts";
import { hexOf, safeNumber } from "../decode.ts";
import { decodeBlock, type EvmBlock } from "./decode_block.ts";
import type { Endpoints } from "../endpoints.ts";
import type { InnerPayment } from "./inner_payments.ts";
import { isConfirmedBy } from "../../pool/asking/answers.ts";
import { asText } from "../../shown.ts";
import type { AskedAhead } from "../head_memory.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import { isLimitCode, RpcFailure, RpcReplyError } from "../../pool/node_errors.ts";
import { NotTraced, TRACE_SOURCES, type TracedBlock, type TraceSource } from "./trace_sources.ts";

/** The node has none of the methods; asking again is pointless. */
class TracesUnsupported extends NodeError {
  override name = "TracesUnsupported";
}

/** Another backend of the same URL may not have the newest blocks yet. */
const PROBED_BELOW_TIP = 2;

/** Remembers which kind of traces each node has. */
export class Tracer {
  /** Null: the node has none. */
  readonly #sourceOf = new Map<string, TraceSource | null>();

  /** The node's last answer; null if it was never asked. */
  isTracing(host: string): boolean | null {
    return this.#sourceOf.has(host) ? this.#sourceOf.get(host) !== null : null;
  }

  /** Whether at least `count` nodes serve traces. */
  async canTrace(endpoints: Endpoints, count: number): Promise<boolean> {
    return isConfirmedBy(count, await endpoints.each((rpc) => this.#canTraceOn(rpc)));
  }

  /**
   * What contracts paid in this block, by transaction hash. An answer can have megabytes, so each
   * block gets its own HTTP body.
   */
  async trace(rpc: Rpc, block: EvmBlock): Promise<ReadonlyMap<string, readonly InnerPayment[]>> {
    if (block.txs.length === 0) return new Map();
    return await this.#traceOn(rpc, block).catch(missing(block));
  }

  async #traceOn(rpc: Rpc, block: EvmBlock): Promise<Map<string, readonly InnerPayment[]>> {
    const refusals: string[] = [];
    for (const source of await this.#sourcesFor(rpc)) {
      const call = source.callFor(block.ref);
      try {
        const payments = await source.read(await answerTo(rpc, { call, block }), block);
        this.#sourceOf.set(rpc.host, source);
        return payments;
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        refusals.push(error.message);
      }
    }
    this.#sourceOf.set(rpc.host, null);
    throw new TracesUnsupported(`${rpc.host} serves no traces of blocks: ${refusals.join("; ")}`);
  }

  /** Asks already, if it is known how; `trace` takes the answer. */
  askAhead(rpc: Rpc, ref: TracedBlock): AskedAhead["traces"] {
    const call = this.#sourceOf.get(rpc.host)?.callFor(ref);
    return call && { method: call.method, answer: rpc.call(call.method, call.params) };
  }

  /** The source that worked last comes first. The same host may have other backends. */
  async #sourcesFor(rpc: Rpc): Promise<Iterable<TraceSource>> {
    const known = this.#sourceOf.get(rpc.host);
    if (known) return new Set([known, ...TRACE_SOURCES]);
    return await isAnvil(rpc) ? TRACE_SOURCES.toReversed() : TRACE_SOURCES;
  }

  async #canTraceOn(rpc: Rpc): Promise<boolean> {
    const tip = safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
    const height = Math.max(tip - PROBED_BELOW_TIP, Math.min(tip, 1));
    const block = await rpc.call("eth_getBlockByNumber", [hexOf(height), true]);
    try {
      await this.#traceOn(rpc, await decodeBlock(block, height));
      return true;
    } catch (error) {
      if (error instanceof TracesUnsupported) return false;
      if (height === 0 && isAboutGenesis(error)) return true;
      throw error;
    }
  }
}

async function answerTo(
  rpc: Rpc,
  { call: { method, params }, block }: { call: RpcCall; block: EvmBlock },
): Promise<unknown> {
  const { ahead } = rpc.memory;
  const asked = ahead?.hash === block.ref.hash && ahead.traces?.method === method
    ? await ahead.traces.answer.catch(() => undefined)
    : undefined;
  return asked ?? await rpc.call(method, params);
}

/**
 * Anvil stores what `trace_block` needs. For the other method it runs a block once per transaction,
 * and hangs forever if it mines a block meanwhile.
 */
async function isAnvil(rpc: Rpc): Promise<boolean> {
  try {
    return asText(await rpc.call("web3_clientVersion", [])).startsWith("anvil/");
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

/** Anybody can fill a block whose trace has gigabytes, because each call repeats all of its input. */
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

/** A full node says this about blocks that are too old. A network error doesn't mean it. */
function isForgotten(error: unknown): boolean {
  if (error instanceof NodeError && Array.isArray(error.cause)) {
    return error.cause.every(isForgotten);
  }
  if (error instanceof NotTraced) return /\bstate\b|\btrie\b|prun|not found/i.test(error.message);
  if (!(error instanceof RpcReplyError)) return false;
  return /\bstate\b|\btrie\b|prun/i.test(error.text) && !isLimitCode(error.code);
}

/** Providers have many ways to say that a method or plan lacks this; a passing failure doesn't count. */
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
