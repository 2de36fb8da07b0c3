import { toBase64, utf8 } from "../../../base/bytes.ts";
import { UnfitNode } from "../../faults.ts";
import { type AnswerLimits, BODY_BYTES_MAX } from "../../pool/json/bounded_json.ts";
import { postJson } from "../../pool/json/post_json.ts";
import { readBatch, type RpcItem } from "../../pool/json/rpc_reply.ts";
import { RpcFailure, RpcReplyError } from "../../pool/node_errors.ts";
import type { Line } from "../../pool/protocol.ts";
import { decoded, withoutSecrets } from "../../pool/secrets.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly limits: AnswerLimits;
  /** Of what takes longer than everything else. */
  readonly timeoutMs?: number;
  /** Asked alone: JSON.parse by default. */
  readonly parse?: (text: string) => unknown;
}

/** One node. Each answer can be an error of its own. */
export interface BitcoinRpc {
  readonly host: string;
  ask(calls: readonly RpcCall[]): Promise<readonly RpcItem[]>;
}

const CALLS_MAX = 100;
/** "Work queue depth exceeded", which Litecoin Core 0.21 says with 500. */
const LIMIT_STATUSES: readonly number[] = [500, 503];
const WARMING_UP = -28;

/** Name and password of the URL go into a header, and nowhere else. */
export function openRpc(url: string): (line: Line) => BitcoinRpc {
  const { host, origin, pathname, search, username, password } = new URL(url);
  const headers: Record<string, string> = username === "" && password === ""
    ? {}
    : { authorization: `Basic ${basic(username, password)}` };
  const to = { url: `${origin}${pathname}${search}`, host, headers, limitStatuses: LIMIT_STATUSES };
  const clean = (text: string) => withoutSecrets(text, url);
  return ({ gate, answered, ...line }) => {
    async function exchange(calls: readonly RpcCall[]): Promise<readonly RpcItem[]> {
      const timeoutMs = Math.max(line.timeoutMs, ...calls.map(({ timeoutMs = 0 }) => timeoutMs));
      const limits = limitsOf(calls);
      try {
        return await gate(async () => {
          const { parse } = calls[0]!;
          const answer = await postJson(bodyOf(calls), {
            ...{ ...line, ...to, timeoutMs, limits },
            ...parse && { parse },
          });
          answered?.(calls.length);
          return readBatch(answer, { count: calls.length, host });
        });
      } catch (error) {
        throw error instanceof RpcFailure ? explained(error, { host, clean }) : error;
      }
    }

    async function ask(calls: readonly RpcCall[]): Promise<readonly RpcItem[]> {
      if (calls.length === 0) return [];
      if (calls.length > CALLS_MAX) return await inParts(calls, CALLS_MAX);
      try {
        const items = await exchange(calls);
        return items.map((item) => item.ok ? item : refused(item.error, { host, clean }));
      } catch (error) {
        const isTooMuch = error instanceof RpcFailure && error.kind === "too_large";
        if (!isTooMuch || calls.length === 1) throw error;
        return await inParts(calls, Math.ceil(calls.length / 2));
      }
    }

    async function inParts(calls: readonly RpcCall[], size: number): Promise<readonly RpcItem[]> {
      const items: RpcItem[] = [];
      for (let start = 0; start < calls.length; start += size) {
        items.push(...await ask(calls.slice(start, start + size)));
      }
      return items;
    }

    return { host, ask };
  };
}

interface Of {
  readonly host: string;
  readonly clean: (text: string) => string;
}

function basic(username: string, password: string): string {
  return toBase64(utf8(`${decoded(username)}:${decoded(password)}`));
}

/** Always a list: nodes answer one call that they refuse with HTTP 500, which says nothing more. */
function bodyOf(calls: readonly RpcCall[]): string {
  return JSON.stringify(
    calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params })),
  );
}

function limitsOf(calls: readonly RpcCall[]): AnswerLimits {
  const bytes = calls.reduce((sum, { limits }) => sum + limits.bytesMax, 0);
  return { bytesMax: Math.min(bytes, BODY_BYTES_MAX) };
}

function explained({ kind, message, retryAfterMs }: RpcFailure, { host, clean }: Of): Error {
  if (kind === "http_status" && / 401$/.test(message)) {
    return new UnfitNode(`${host} refuses the name or password of its URL (401)`);
  }
  if (kind === "http_status" && / 403$/.test(message)) {
    return new UnfitNode(`${host} answers nobody from this address (403, rpcallowip)`);
  }
  return new RpcFailure(kind, clean(message), retryAfterMs);
}

/** What a node that is still starting refuses, it has not looked at. */
function refused({ text, code }: RpcReplyError, { host, clean }: Of): RpcItem {
  const said = clean(text);
  if (code === WARMING_UP) throw new RpcFailure("unsent", `${host} is still starting: ${said}`);
  return { ok: false, error: new RpcReplyError(host, { text: said, code }) };
}
