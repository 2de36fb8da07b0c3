import { NodeError } from "../faults.ts";
import { postJson } from "../pool/json/post_json.ts";
import { isRateLimit, RpcFailure, RpcReplyError } from "../pool/node_errors.ts";
import { HeadMemory } from "./head_memory.ts";
import { limitsOf } from "./answer_limits.ts";
import { readBatch, readItem, resultOf, type RpcItem } from "../pool/json/rpc_reply.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** As many as there are calls. */
type Items<C extends readonly RpcCall[]> = { -readonly [I in keyof C]: RpcItem };

/** One endpoint. Throws unless the answer is well-formed and fits the question. */
export interface Rpc {
  readonly host: string;
  /** Of the node behind the URL. */
  readonly memory: HeadMemory;
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** One HTTP body; each answer is matched by id and can be an error of its own. */
  batch<const C extends readonly RpcCall[]>(calls: C): Promise<Items<C>>;
  /** Like `batch`, but never sends a call a second time, whatever the first answer is. */
  batchOnce(calls: readonly RpcCall[]): Promise<RpcItem[]>;
  /** Like `batch`, but fails unless every call is answered. */
  results(calls: readonly RpcCall[]): Promise<unknown[]>;
}

interface RpcOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  /** Reads less than the calls' methods may answer. */
  readonly bodyBytesMax?: number;
  readonly signal?: AbortSignal | undefined;
  /** Wraps every HTTP exchange, to delay or repeat it. */
  readonly gate?: <T>(send: () => Promise<T>) => Promise<T>;
  /** Hears how many calls were answered. */
  readonly answered?: ((calls: number) => void) | undefined;
  /** What earlier calls learned about the node. */
  readonly learned?: Learned;
}

interface Learned {
  callsMax: number;
  readonly memory: HeadMemory;
}

const BATCH_CALLS_MAX = 100;

export function connectRpc(options: RpcOptions): Rpc {
  return new Connection(options);
}

export function nothingLearned(): Learned {
  return { callsMax: BATCH_CALLS_MAX, memory: new HeadMemory() };
}

class Connection implements Rpc {
  readonly host: string;
  readonly #options: RpcOptions;
  readonly #gate: NonNullable<RpcOptions["gate"]>;
  readonly #learned: Learned;

  constructor(options: RpcOptions) {
    this.host = new URL(options.url).host;
    this.#options = options;
    this.#gate = options.gate ?? ((send) => send());
    this.#learned = options.learned ?? nothingLearned();
  }

  get memory(): HeadMemory {
    return this.#learned.memory;
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const asked = { method, params };
    return await this.#gate(async () =>
      resultOf(readItem(await this.#post(envelope(asked, 1), [asked]), { id: 1, host: this.host }))
    );
  }

  async batch<const C extends readonly RpcCall[]>(calls: C): Promise<Items<C>>;
  async batch(calls: readonly RpcCall[]): Promise<RpcItem[]> {
    const { callsMax } = this.#learned;
    if (calls.length > callsMax) return await this.#inParts(calls, callsMax);
    if (calls.length === 0) return [];
    try {
      return await this.#exchange(calls);
    } catch (error) {
      if (calls.length === 1 || !isTooMuch(error)) throw error;
      return await this.#inParts(calls, Math.ceil(calls.length / 2));
    }
  }

  async results(calls: readonly RpcCall[]): Promise<unknown[]> {
    return (await this.batch(calls)).map(resultOf);
  }

  /** No part is sent again, whatever happens to it. */
  async batchOnce(calls: readonly RpcCall[]): Promise<RpcItem[]> {
    const items: RpcItem[] = [];
    while (items.length < calls.length) {
      const part = calls.slice(items.length, items.length + this.#learned.callsMax);
      try {
        items.push(...await this.#exchange(part));
      } catch (error) {
        throw items.length > 0 || error instanceof RpcReplyError ? maybeTaken(error) : error;
      }
    }
    return items;
  }

  async #inParts(calls: readonly RpcCall[], size: number): Promise<RpcItem[]> {
    const items: RpcItem[] = [];
    for (let start = 0; start < calls.length; start += size) {
      items.push(...await this.batch(calls.slice(start, start + size)));
    }
    return items;
  }

  async #exchange(calls: readonly RpcCall[]): Promise<RpcItem[]> {
    const asked = calls.map(envelope);
    const of = { count: calls.length, host: this.host };
    try {
      return await this.#gate(async () => readBatch(await this.#post(asked, calls), of));
    } catch (error) {
      // A body of one call can't be too large, so its failure says nothing about the next ones.
      const isOfSize = calls.length > 1 && error instanceof RpcFailure;
      if (isOfSize && error.kind === "batch_refused") {
        const callsMax = Math.ceil(calls.length / 2);
        this.#learned.callsMax = Math.min(this.#learned.callsMax, callsMax);
      }
      throw error;
    }
  }

  async #post(asked: unknown, calls: readonly RpcCall[]): Promise<unknown> {
    const { bodyBytesMax = Infinity } = this.#options;
    const limits = limitsOf(calls);
    const bytesMax = Math.min(limits.bytesMax, bodyBytesMax);
    const { host } = this;
    const options = { ...this.#options, host, limits: { ...limits, bytesMax } };
    const answer = await postJson(JSON.stringify(asked), options);
    this.#options.answered?.(calls.length);
    return answer;
  }
}

function envelope({ method, params }: RpcCall, id: number) {
  return { jsonrpc: "2.0", id, method, params };
}

/** If one part fails, some of the others may still have been accepted. */
function maybeTaken(error: unknown): unknown {
  if (!(error instanceof NodeError)) return error;
  const kind = isRateLimit(error) ? "rate_limited" : "connection";
  const pauseMs = error instanceof RpcFailure ? error.retryAfterMs : undefined;
  return new RpcFailure(kind, error.message, pauseMs);
}

function isTooMuch(error: unknown): error is RpcFailure {
  return error instanceof RpcFailure &&
    (error.kind === "too_large" || error.kind === "batch_refused");
}
