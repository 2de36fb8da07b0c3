// Not Deno.serve: it can't close a connection without answering.
import http from "node:http";
import { invariant } from "../../base/assert.ts";

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

interface RpcProxy extends AsyncDisposable {
  readonly url: string;
}

/** A proxy for a JSON-RPC node on loopback; `react` decides what happens to each request. */
export async function startRpcProxy(nodeUrl: string, react: React): Promise<RpcProxy> {
  const closing = new AbortController();
  const server = http.createServer(async (request, response) => {
    try {
      const exchange = exchangeOf(nodeUrl, await textOf(request), closing.signal);
      const answer = await react(exchange);
      if (answer === "drop") request.socket.destroy();
      else if (answer !== "silence") {
        response.writeHead(answer.status, answer.headers).end(answer.body);
      }
    } catch {
      request.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  invariant(address && typeof address === "object", "It listens on TCP");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
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
  const response = await fetch(nodeUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
  });
  const replies: RpcReply | RpcReply[] = await response.json();
  const byId = new Map([replies].flat().map((reply) => [reply.id, reply]));
  return calls.map(({ id }) => byId.get(id)!);
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
