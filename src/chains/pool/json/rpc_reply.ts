import {
  type FailureKind,
  isLimitCode,
  isRateLimit,
  RpcFailure,
  RpcReplyError,
} from "../node_errors.ts";
import { shown } from "../../shown.ts";

export type RpcItem =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcReplyError };

const WORDS_CHARS_MAX = 1_000;

export function resultOf(item: RpcItem): unknown {
  if (!item.ok) throw item.error;
  return item.result;
}

export function readBatch(
  reply: unknown,
  { count, host }: { count: number; host: string },
): RpcItem[] {
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

export function readItem(reply: unknown, { id, host }: { id: number; host: string }): RpcItem {
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
