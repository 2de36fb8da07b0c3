import http from "node:http";
import { bodyOf, listenLocally, type LocalServer } from "../../base/net/local_server.ts";

/** One call, alone or in a batch. */
export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface RpcBlock {
  readonly number?: string;
  readonly hash?: string;
}

/** As far as faults look into it. */
export type RpcResult = string | RpcBlock | unknown[] | null;

export interface RpcReply {
  readonly id: number;
  readonly result?: RpcResult;
  readonly error?: { readonly code: number; readonly message: string };
}

export function blockIn(result: RpcResult | undefined): RpcBlock {
  return typeof result === "object" && result && !Array.isArray(result) ? result : {};
}

/** One HTTP body. */
export interface Exchange {
  readonly body: string;
  readonly calls: readonly RpcCall[];
  /** Sends the calls to the node in one body and returns its replies in order. */
  ask(calls: readonly RpcCall[]): Promise<RpcReply[]>;
  /** Formats the answer as it was asked for: a list, or one reply. */
  reply(replies: readonly unknown[]): HttpAnswer;
  /** Aborted when the proxy closes. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

/** `drop` closes the connection; `silence` leaves the caller waiting. */
type React = (exchange: Exchange) => Promise<HttpAnswer | "drop" | "silence">;

/** A proxy for a JSON-RPC node on loopback; `react` decides what happens to each request. */
export async function startRpcProxy(nodeUrl: string, react: React): Promise<LocalServer> {
  const closing = new AbortController();
  const server = http.createServer(async (request, response) => {
    try {
      const exchange = exchangeOf(nodeUrl, await bodyOf(request), closing.signal);
      const answer = await react(exchange);
      if (answer === "drop") request.socket.destroy();
      else if (answer !== "silence") {
        response.writeHead(answer.status, answer.headers).end(answer.body);
      }
    } catch {
      request.socket.destroy();
    }
  });
  const local = await listenLocally(server);
  return {
    url: local.url,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await local[Symbol.asyncDispose]();
    },
  };
}

function exchangeOf(nodeUrl: string, body: string, signal: AbortSignal): Exchange {
  const parsed: RpcCall | RpcCall[] = JSON.parse(body);
  const isBatch = Array.isArray(parsed);
  return {
    body,
    calls: isBatch ? parsed : [parsed],
    ask: (calls) => ask(nodeUrl, calls),
    reply: (replies) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(isBatch ? replies : replies[0]),
    }),
    signal,
  };
}

async function ask(nodeUrl: string, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const { origin, pathname, search, username, password } = new URL(nodeUrl);
  const response = await fetch(origin + pathname + search, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...username === "" ? {} : { authorization: `Basic ${btoa(`${username}:${password}`)}` },
    },
    body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
  });
  const replies: RpcReply | RpcReply[] = await response.json();
  const byId = new Map([replies].flat().map((reply) => [reply.id, reply]));
  return calls.map(({ id }) => byId.get(id)!);
}
