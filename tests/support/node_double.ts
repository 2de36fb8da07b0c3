import http from "node:http";
import type { ProxiedCall } from "./fault_proxy.ts";

export interface NodeDouble extends AsyncDisposable {
  readonly url: string;
  answer: Answer;
}

/** `NEVER`: the caller hears nothing until it gives up. */
export const NEVER = Symbol("never");

/** Answers for a node, now or later; `ask` hands the call on to it. */
export type Answer = (call: ProxiedCall, ask: () => Promise<unknown>) => Promise<unknown>;

/** A node that takes its time, and may say what the real one behind it does not. */
export async function startNodeDouble(nodeUrl: string, answer: Answer): Promise<NodeDouble> {
  const double = { answer };
  const server = http.createServer(async (request, response) => {
    try {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const parsed = JSON.parse(body);
      const calls: ProxiedCall[] = Array.isArray(parsed) ? parsed : [parsed];
      const replies = await Promise.all(
        calls.map((call) => double.answer(call, () => forward(nodeUrl, call))),
      );
      if (replies.includes(NEVER)) return;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(Array.isArray(parsed) ? replies : replies[0]));
    } catch {
      request.socket.destroy();
    }
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  return Object.assign(double, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function forward(nodeUrl: string, { id, method, params }: ProxiedCall): Promise<unknown> {
  const response = await fetch(nodeUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  });
  return await response.json();
}

/** What a node says instead of taking it. */
export function rpcError({ id }: ProxiedCall, message: string): unknown {
  return { jsonrpc: "2.0", id, error: { code: -32000, message } };
}
