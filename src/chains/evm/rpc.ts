import { NodeError } from "../faults.ts";
import { postJson } from "../pool/http.ts";
import {
  type FailureKind,
  isLimitCode,
  isRateLimit,
  RpcFailure,
  RpcReplyError,
} from "../pool/node_errors.ts";
import { shown } from "../shown.ts";
import { limitsOf } from "./answer_limits.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcItem =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcReplyError };

/** One endpoint. Throws unless the answer is well-formed and fits the question. */
/** As many as there are calls. */
type Items<C extends readonly RpcCall[]> = { -readonly [I in keyof C]: RpcItem };

export interface Rpc {
  readonly host: string;
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
  /** What earlier calls learned about the node. */
  readonly learned?: { callsMax: number };
}

export const BATCH_CALLS_MAX = 100;
const WORDS_CHARS_MAX = 1_000;

export function connectRpc(options: RpcOptions): Rpc {
  const { host } = new URL(options.url);
  const { gate = (send) => send(), learned = { callsMax: BATCH_CALLS_MAX } } = options;
  const post = (asked: unknown, calls: readonly RpcCall[]) =>
    postJson(JSON.stringify(asked), { ...options, host, limits: limitsWithin(options, calls) });

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const asked = { method, params };
    return await gate(async () =>
      resultOf(readItem(await post(envelope(asked, 1), [asked]), { id: 1, host }))
    );
  }

  async function batch(calls: readonly RpcCall[]): Promise<RpcItem[]> {
    if (calls.length > learned.callsMax) return await inParts(calls, learned.callsMax);
    if (calls.length === 0) return [];
    try {
      return await exchange(calls);
    } catch (error) {
      if (calls.length === 1 || !isTooMuch(error)) throw error;
      return await inParts(calls, Math.ceil(calls.length / 2));
    }
  }

  async function exchange(calls: readonly RpcCall[]): Promise<RpcItem[]> {
    const asked = calls.map(envelope);
    const of = { count: calls.length, host };
    try {
      return await gate(async () => readBatch(await post(asked, calls), of));
    } catch (error) {
      // A body of one call can't be too large, so its failure says nothing about the next ones.
      const isOfSize = calls.length > 1 && error instanceof RpcFailure;
      if (isOfSize && error.kind === "batch_refused") {
        learned.callsMax = Math.min(learned.callsMax, Math.ceil(calls.length / 2));
      }
      throw error;
    }
  }

  async function inParts(calls: readonly RpcCall[], size: number): Promise<RpcItem[]> {
    const items: RpcItem[] = [];
    for (let start = 0; start < calls.length; start += size) {
      items.push(...await batch(calls.slice(start, start + size)));
    }
    return items;
  }

  async function results(calls: readonly RpcCall[]): Promise<unknown[]> {
    return (await batch(calls)).map(resultOf);
  }

  const batchOnce = (calls: readonly RpcCall[]) => inPartsOnce(calls, { exchange, learned });
  return { host, call, batch: batch as Rpc["batch"], batchOnce, results };
}

function limitsWithin({ bodyBytesMax = Infinity }: RpcOptions, calls: readonly RpcCall[]) {
  const limits = limitsOf(calls);
  return { ...limits, bytesMax: Math.min(limits.bytesMax, bodyBytesMax) };
}

/** No part is sent again, whatever happens to it. */
async function inPartsOnce(
  calls: readonly RpcCall[],
  { exchange, learned }: {
    exchange: (calls: readonly RpcCall[]) => Promise<RpcItem[]>;
    learned: { readonly callsMax: number };
  },
): Promise<RpcItem[]> {
  const items: RpcItem[] = [];
  while (items.length < calls.length) {
    const part = calls.slice(items.length, items.length + learned.callsMax);
    try {
      items.push(...await exchange(part));
    } catch (error) {
      throw items.length > 0 || error instanceof RpcReplyError ? maybeTaken(error) : error;
    }
  }
  return items;
}

export function resultOf(item: RpcItem): unknown {
  if (!item.ok) throw item.error;
  return item.result;
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

function readBatch(reply: unknown, { count, host }: { count: number; host: string }): RpcItem[] {
  if (!Array.isArray(reply)) throw refusedBatch(reply, host);
  const byId = new Map<unknown, unknown>();
  for (const item of reply) byId.set(isRecord(item) ? item.id : undefined, item);
  if (reply.length !== count || byId.size !== count) {
    throw new RpcFailure("bad_reply", `${host} answered ${reply.length} of ${count} calls`);
  }
  const items = Array.from({ length: count }, (_, id) => readItem(byId.get(id), { id, host }));
  const limited = items.find((item) => !item.ok && isRateLimit(item.error));
  if (limited) resultOf(limited);
  return items;
}

/** Some nodes accept no batches, or not this large, and answer with a single error object. */
function refusedBatch(reply: unknown, host: string): RpcFailure {
  const error = errorOf(reply);
  const text = error ? wordsOf(error.message) : "no array";
  const kind = /batch/i.test(text) ? "batch_refused" : kindOf(error);
  return new RpcFailure(kind, `${host} answered a batch with: ${text}`);
}

function readItem(reply: unknown, { id, host }: { id: number; host: string }): RpcItem {
  if (!isRecord(reply) || reply.id !== id) {
    const text = `${host} answered without the id that was asked: ${shown(reply)}`;
    throw new RpcFailure(kindOf(errorOf(reply)), text);
  }
  const error = errorOf(reply);
  if (error) {
    const code = ["number", "string"].includes(typeof error.code) ? Number(error.code) : 0;
    const said = { text: wordsOf(error.message), code };
    return { ok: false, error: new RpcReplyError(host, said) };
  }
  if (reply.result === undefined || (reply.error ?? null) !== null) {
    throw new RpcFailure("bad_reply", `${host} answered with neither result nor error`);
  }
  return { ok: true, result: reply.result };
}

function errorOf(reply: unknown): Record<string, unknown> | undefined {
  return isRecord(reply) && isRecord(reply.error) ? reply.error : undefined;
}

/** An error about the whole batch has no id and may still be a rate limit. */
function kindOf(error: Record<string, unknown> | undefined): FailureKind {
  return isLimitCode(error?.code) ? "rate_limited" : "bad_reply";
}

/** A node's texts end up in logs and rows. */
function wordsOf(message: unknown): string {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  return (text ?? "no message").slice(0, WORDS_CHARS_MAX);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
