import { fromHex } from "../../base/bytes.ts";
import { type AnswerLimits, LARGE, MEDIUM, SMALL, WHOLE } from "../pool/json/bounded_json.ts";
import { postJson } from "../pool/json/post_json.ts";
import { RpcFailure, RpcReplyError } from "../pool/node_errors.ts";
import type { Line } from "../pool/protocol.ts";
import { asText } from "../shown.ts";
import type { Json } from "./decode.ts";
import { parseExact } from "./json.ts";
import { Memory } from "./memory.ts";

/** One endpoint. Throws on refusals, which come with HTTP 200, and on anything that is no answer. */
export interface TronNode {
  readonly host: string;
  readonly memory: Memory;
  /** `wallet/…` answers from the newest block, `walletsolidity/…` from final ones only. */
  ask(path: string, body?: Json): Promise<unknown>;
}

export type NodeView = "wallet" | "walletsolidity";

const SOLID = "walletsolidity/";
/**
 * Anybody can send transactions whose JSON has a value for each of their bytes, such as two million
 * in a full block.
 */
const VALUES_MAX = 3_000_000;
const BLOCKS: AnswerLimits = { ...WHOLE, valuesMax: VALUES_MAX };
/** By the last part of the path. Accounts list every kind of token ever sent to them. */
const LIMITS: Readonly<Record<string, AnswerLimits>> = {
  getblockbylimitnext: BLOCKS,
  gettransactioninfobyblocknum: BLOCKS,
  gettransactioninfobyid: LARGE,
  gettransactionbyid: LARGE,
  getblock: BLOCKS,
  getaccount: MEDIUM,
  getdelegatedresourceaccountindexv2: MEDIUM,
  triggerconstantcontract: MEDIUM,
};
const WORDS_CHARS_MAX = 1_000;
/** TronGrid suspends clients that ask too much with 403. */
const LIMIT_STATUSES: readonly number[] = [403];
const LIMIT_WORDS =
  /lack of computing resources|rate ?limit|too many requests|exceeds? the (frequency|limit)/i;

/**
 * The user name in a URL, as in https://KEY@api.trongrid.io, is sent as TronGrid's API key. A
 * self-hosted node serves solid blocks on another port: http://127.0.0.1:8090#solidity=8091.
 */
export function openNode(url: string): (line: Line) => TronNode {
  const { host, pathname, search, username } = new URL(url);
  const prefix = pathname.replace(/(?<!\/)\/+$/, "");
  const [newest, solid] = originsOf(url);
  const headers: Record<string, string> = username === ""
    ? {}
    : { "tron-pro-api-key": decodeURIComponent(username) };
  const memory = new Memory();
  return ({ gate, answered, ...line }) => ({
    host,
    memory,
    ask: (path, body = {}) =>
      gate(async () => {
        const answer = await postJson(JSON.stringify(body), {
          ...line,
          url: `${path.startsWith(SOLID) ? solid : newest}${prefix}/${path}${search}`,
          host,
          headers,
          limits: LIMITS[path.slice(path.lastIndexOf("/") + 1)] ?? SMALL,
          limitStatuses: LIMIT_STATUSES,
          parse: parseExact,
        });
        answered?.(1);
        return refusedIfError(answer, host);
      }),
  });
}

function originsOf(url: string): readonly [newest: string, solid: string] {
  const one = new URL(url);
  const [, port] = /^#solidity=(\d{1,5})$/.exec(one.hash) ?? [];
  const { origin } = one;
  if (port !== undefined) one.port = port;
  return [origin, one.origin];
}

function refusedIfError(answer: unknown, host: string): unknown {
  if (typeof answer !== "object" || answer === null) {
    throw new RpcFailure("bad_reply", `${host} answered neither object nor list`);
  }
  if (!("Error" in answer)) return answer;
  const text = asText(answer.Error).slice(0, WORDS_CHARS_MAX);
  if (LIMIT_WORDS.test(text)) throw new RpcFailure("rate_limited", `${host}: ${text}`);
  throw new RpcReplyError(host, { text, code: 0 });
}

/** Nodes write their messages in hex. */
export function wordsOf(message: unknown): string {
  if (typeof message !== "string") return "no message";
  const bytes = fromHex(message);
  const text = bytes && bytes.length > 0 ? new TextDecoder().decode(bytes) : message;
  return text.replaceAll(/\p{Cc}+/gu, " ").trim().slice(0, WORDS_CHARS_MAX);
}
