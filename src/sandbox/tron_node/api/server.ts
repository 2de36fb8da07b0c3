import http from "node:http";
import { bodyOf, listenLocally, type LocalServer } from "../../../base/net/local_server.ts";
import type { Broadcaster } from "./broadcast.ts";
import type { Chain } from "../chain.ts";
import { printJson } from "./json.ts";
import { ApiRequest, errorAnswer } from "./request.ts";
import { type Door, ROUTES } from "./routes.ts";
import { solidView, walletView } from "./view.ts";

export interface Call {
  readonly method: string;
  /** "/wallet/getnowblock" */
  readonly path: string;
  /** The body of a POST, the query of a GET. */
  readonly input: string;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Decides about each call; `forward` has the node answer it. */
export type React = (call: Call, forward: () => Reply) => Promise<Reply | "drop">;

interface Served {
  readonly chain: Chain;
  readonly broadcaster: Broadcaster;
  /** The number of blocks that the answers are behind. */
  readonly lag: () => number;
}

/** TRON's HTTP API, for this machine only. */
export function serveNode(
  served: Served,
  react: React = (_, forward) => Promise.resolve(forward()),
): Promise<LocalServer> {
  const server = http.createServer(async (request, response) => {
    try {
      const url = new URL(request.url ?? "/", "http://node");
      const body = await bodyOf(request);
      const { method = "GET" } = request;
      const call = { method, path: url.pathname, input: method === "GET" ? url.search : body };
      const reply = await react(call, () => answerCall(served, { call, url, body }));
      if (reply === "drop") request.socket.destroy();
      else {
        response.writeHead(reply.status, { "content-type": "application/json; charset=utf-8" })
          .end(reply.body);
      }
    } catch {
      request.socket.destroy();
    }
  });
  return listenLocally(server);
}

export function answerCall(
  served: Served,
  { call, url, body }: { readonly call: Call; readonly url: URL; readonly body: string },
): Reply {
  const [, door = "", name = "", ...rest] = url.pathname.split("/");
  const route = rest.length === 0 ? ROUTES[door]?.[name] : undefined;
  if (!route) return { status: 404, body: "<h1>404 Not Found</h1>" };
  if (call.method === "GET" && route.get === "refused" || !/^(GET|POST)$/.test(call.method)) {
    return { status: 405, body: "HTTP method is not supported by this URL" };
  }
  if (call.method === "GET" && route.get === "empty") return { status: 200, body: "" };
  try {
    const request = new ApiRequest(call.method, call.path, url.searchParams, body);
    const view = (door === "wallet" ? walletView : solidView)(served.chain, served.lag());
    const reading: Door = { ...served, view, request };
    const printed = printJson(route.answer(reading), { int64AsString: request.isInt64AsString });
    return { status: 200, body: `${printed}\n` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 200, body: printJson(errorAnswer(error)) };
  }
}
