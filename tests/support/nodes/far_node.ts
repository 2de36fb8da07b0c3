import http from "node:http";
import { bodyOf, listenLocally } from "../../../src/base/net/local_server.ts";

/** A node that is this far away: a question and its answer take half of it each. */
export interface FarNode extends AsyncDisposable {
  readonly url: string;
  /** HTTP bodies so far, by the calls in each: several in a batch, and paths where there is no RPC. */
  readonly bodies: (readonly string[])[];
}

export const ROUND_TRIP_MS = 80;

/** Any HTTP node, JSON-RPC or TRON's, behind a delay. */
export async function startFarNode(nodeUrl: string): Promise<FarNode> {
  const bodies: (readonly string[])[] = [];
  const ended = new AbortController();
  const server = http.createServer(async (request, response) => {
    const { url: path = "/", method = "POST" } = request;
    try {
      const body = await bodyOf(request);
      bodies.push(callsIn(body, path));
      await pause(ended.signal);
      const answer = await fetch(`${nodeUrl}${path === "/" ? "" : path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...method === "POST" ? { body } : {},
        signal: ended.signal,
      });
      const text = await answer.text();
      await pause(ended.signal);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    } catch {
      request.socket.destroy();
    }
  });
  const local = await listenLocally(server);
  return {
    url: local.url,
    bodies,
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await local[Symbol.asyncDispose]();
    },
  };
}

/** The sockets of a node that is this far away. */
export function startFarSocket(nodeUrl: string): AsyncDisposable & { readonly url: string } {
  const open = new Set<WebSocket>();
  const later = (work: () => void) => void setTimeout(work, ROUND_TRIP_MS / 2);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    const node = new WebSocket(nodeUrl);
    const opened = new Promise((resolve) => node.onopen = resolve);
    const forward = (to: WebSocket, data: unknown) =>
      later(() => to.readyState === WebSocket.OPEN && to.send(String(data)));
    socket.onmessage = ({ data }) => void opened.then(() => forward(node, data));
    node.onmessage = ({ data }) => forward(socket, data);
    socket.onclose = () => node.close();
    node.onclose = () => socket.readyState === WebSocket.OPEN && socket.close();
    for (const one of [socket, node]) {
      open.add(one);
      one.addEventListener("close", () => open.delete(one));
      one.onerror = () => {};
    }
    return response;
  });
  return {
    url: `ws://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      for (const one of open) if (one.readyState === WebSocket.OPEN) one.close();
      await server.shutdown();
    },
  };
}

function callsIn(body: string, path: string): string[] {
  if (path !== "/") return [path];
  return [JSON.parse(body)].flat().map(({ method }: { method: string }) => method);
}

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ROUND_TRIP_MS / 2));
  signal.throwIfAborted();
}
