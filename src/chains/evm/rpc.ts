import { type HttpOptions, postJson } from "./_http.ts";
import { RpcFailure, RpcReplyError } from "./rpc_errors.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcItem =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcReplyError };

/** One endpoint. Whatever is not a well-formed answer to the question is thrown. */
export interface Rpc {
  readonly host: string;
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** One HTTP body; each answer matched by id, each with an error of its own. */
  batch(calls: readonly RpcCall[]): Promise<RpcItem[]>;
  /** As `batch`, for callers that need every answer. */
  results(calls: readonly RpcCall[]): Promise<unknown[]>;
}

export interface RpcOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly bodyBytesMax?: number;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;
const BATCH_CALLS_MAX = 100;

export function connectRpc(options: RpcOptions): Rpc {
  const http: HttpOptions = {
    ...options,
    host: new URL(options.url).host,
    bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX,
  };
  let callsMax = BATCH_CALLS_MAX;

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const reply = await postJson(JSON.stringify(envelope({ method, params }, 1)), http);
    const item = readItem(reply, { id: 1, host: http.host });
    if (!item.ok) throw item.error;
    return item.result;
  }

  async function batch(calls: readonly RpcCall[]): Promise<RpcItem[]> {
    if (calls.length > callsMax) return await inParts(calls, callsMax);
    if (calls.length === 0) return [];
    const half = Math.ceil(calls.length / 2);
    try {
      const reply = await postJson(JSON.stringify(calls.map(envelope)), http);
      return readBatch(reply, { count: calls.length, host: http.host });
    } catch (error) {
      if (calls.length === 1 || !isTooMuch(error)) throw error;
      if (error.kind === "batch_refused") callsMax = Math.min(callsMax, half);
      return await inParts(calls, half);
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

  return { host: http.host, call, batch, results };
}

export function resultOf(item: RpcItem): unknown {
  if (!item.ok) throw item.error;
  return item.result;
}

function envelope({ method, params }: RpcCall, id: number) {
  return { jsonrpc: "2.0", id, method, params };
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
  return Array.from({ length: count }, (_, id) => readItem(byId.get(id), { id, host }));
}

/** Some nodes take no batch, or none of this size, and say so with a single error object. */
function refusedBatch(reply: unknown, host: string): RpcFailure {
  const text = isRecord(reply) && isRecord(reply.error) ? String(reply.error.message) : "no array";
  const kind = /batch/i.test(text) ? "batch_refused" : "bad_reply";
  return new RpcFailure(kind, `${host} answered a batch with: ${text}`);
}

function readItem(reply: unknown, { id, host }: { id: number; host: string }): RpcItem {
  if (!isRecord(reply) || reply.id !== id) {
    const shown = JSON.stringify(reply)?.slice(0, 120);
    throw new RpcFailure("bad_reply", `${host} answered without the id that was asked: ${shown}`);
  }
  if (isRecord(reply.error)) {
    const { message, code } = reply.error;
    const said = { text: String(message ?? "no message"), code: Number(code ?? 0) };
    return { ok: false, error: new RpcReplyError(host, said) };
  }
  if (reply.result === undefined) {
    throw new RpcFailure("bad_reply", `${host} answered with neither result nor error`);
  }
  return { ok: true, result: reply.result };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
