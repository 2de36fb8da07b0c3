// Not Deno.serve: it cannot close a connection without answering.
import http from "node:http";
import type { Broadcaster } from "./broadcast.ts";
import type { Chain } from "../chain.ts";
import { printJson } from "./json.ts";
import { ApiRequest, errorAnswer, OVERLOADED } from "./request.ts";
import { type Door, ROUTES } from "./routes.ts";
import { solidView, walletView } from "./view.ts";

export interface Call {
  readonly method: string;
  /** "/wallet/getnowblock" */
  readonly path: string;
  /** The body of a POST, the query of a GET. */
  readonly input: string;
}

/** A fault that replaces the answer to a call, or happens on its way. */
export type Fault =
  /** The connection dies, before or after the node has seen the request. */
  | { readonly drop: "before" | "after" }
  /** Status 200 with `Error`: the rate limiter of java-tron. */
  | "overloaded"
  | { readonly status?: number; readonly body: string; readonly isForwarded?: boolean }
  /** Gets the answer as text and gives back another. */
  | { readonly edit: (body: string) => string };

export type OnCall = (call: Call) => Fault | undefined | void | Promise<Fault | undefined | void>;

interface ServerOptions {
  readonly chain: Chain;
  readonly broadcaster: Broadcaster;
  readonly lag: () => number;
  readonly onCall: (call: Call) => ReturnType<OnCall>;
  readonly afterCall: () => void;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface NodeServer {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Calls of what the node does not have. */
  readonly unexpected: readonly Call[];
  close(): Promise<void>;
}

export async function serveNode(options: ServerOptions): Promise<NodeServer> {
  const calls: Call[] = [];
  const unexpected: Call[] = [];
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url!, "http://node");
    // Undefined: the caller has disconnected.
    const body = await textOf(request).catch(() => undefined);
    if (body === undefined) return;
    const method = request.method!;
    const call = { method, path: url.pathname, input: method === "GET" ? url.search : body };
    calls.push(call);
    const fault = await options.onCall(call) ?? undefined;
    const reply = befall(fault, () => {
      const answered = answer(options, { call, url, body });
      if (answered.status === 404 || answered.status === 405) unexpected.push(call);
      options.afterCall();
      return answered;
    });
    if (reply === "drop") request.socket.destroy();
    else {
      response.writeHead(reply.status, { "content-type": "application/json; charset=utf-8" })
        .end(reply.body);
    }
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    unexpected,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function befall(fault: Fault | undefined, forward: () => Reply): Reply | "drop" {
  if (fault === undefined) return forward();
  if (fault === "overloaded") return { status: 200, body: printJson(OVERLOADED) };
  if ("edit" in fault) {
    const { status, body } = forward();
    return { status, body: fault.edit(body) };
  }
  if ("drop" in fault) {
    if (fault.drop === "after") forward();
    return "drop";
  }
  if (fault.isForwarded) forward();
  return { status: fault.status ?? 200, body: fault.body };
}

function answer(
  options: ServerOptions,
  { call, url, body }: { readonly call: Call; readonly url: URL; readonly body: string },
): Reply {
  const [, door, name, ...rest] = url.pathname.split("/");
  const route = rest.length === 0 ? ROUTES[door!]?.[name!] : undefined;
  if (!route) return { status: 404, body: "<h1>404 Not Found</h1>" };
  if (call.method === "GET" && route.get === "refused" || !/^(GET|POST)$/.test(call.method)) {
    return { status: 405, body: "HTTP method is not supported by this URL" };
  }
  if (call.method === "GET" && route.get === "empty") return { status: 200, body: "" };
  try {
    const request = new ApiRequest(call.method, call.path, url.searchParams, body);
    const view = (door === "wallet" ? walletView : solidView)(options.chain, options.lag());
    const reading: Door = { ...options, view, request };
    const body_ = printJson(route.answer(reading), { int64AsString: request.isInt64AsString });
    return { status: 200, body: `${body_}\n` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 200, body: printJson(errorAnswer(error)) };
  }
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
