import http from "node:http";

/** What happens to one call of a request. Anything but `pass` and `edit` befalls the whole request. */
export type Fault =
  | "pass"
  /** The connection dies, before or after the node has seen the request. */
  | { readonly drop: "before" | "after" }
  /** `forwarded`: the node has seen the request all the same. */
  | { readonly status: number; readonly body: string; readonly forwarded?: boolean }
  /** Gets the node's reply to this call and gives back another. */
  | { readonly edit: (reply: RpcReply) => unknown }
  | { readonly delayMs: number };

export interface RpcReply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ProxiedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export type OnCall = (method: string, params: readonly unknown[], body: string) => Fault;

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  onCall: OnCall;
  /** What has passed by, one entry an HTTP body. */
  readonly bodies: ProxiedCall[][];
}

/** Stands between the gateway and a node, and breaks what it is told to break. */
export async function startFaultProxy(nodeUrl: string, onCall: OnCall): Promise<FaultProxy> {
  const proxy = { onCall, bodies: [] as ProxiedCall[][] };
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    await handle({ body, request, response }).catch(() => request.socket.destroy());
  });

  async function handle({ body, request, response }: Exchange): Promise<void> {
    const parsed = JSON.parse(body) as ProxiedCall | ProxiedCall[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    proxy.bodies.push(calls);
    const faults = calls.map((call) => proxy.onCall(call.method, call.params, body));
    const drop = faults.map((fault) =>
      typeof fault === "object" && "drop" in fault ? fault.drop : ""
    );
    if (drop.includes("before")) return void request.socket.destroy();
    await pause(faults);
    const broken = faults.find((fault) => typeof fault === "object" && "status" in fault);
    const status = typeof broken === "object" && "status" in broken ? broken : undefined;
    if (status && !status.forwarded) {
      return void response.writeHead(status.status).end(status.body);
    }
    const replies = await Promise.all(calls.map((call) => forward(nodeUrl, call)));
    if (drop.includes("after")) return void request.socket.destroy();
    if (status) return void response.writeHead(status.status).end(status.body);
    const edited = replies.map((reply, i) => applyEdit(faults[i]!, reply));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(Array.isArray(parsed) ? edited : edited[0]));
  }

  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

interface Exchange {
  readonly body: string;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
}

async function forward(nodeUrl: string, { id, method, params }: ProxiedCall): Promise<RpcReply> {
  const response = await fetch(nodeUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  });
  return await response.json();
}

function applyEdit(fault: Fault, reply: RpcReply): unknown {
  return typeof fault === "object" && "edit" in fault ? fault.edit(reply) : reply;
}

async function pause(faults: readonly Fault[]): Promise<void> {
  const delays = faults.map((fault) =>
    typeof fault === "object" && "delayMs" in fault ? fault.delayMs : 0
  );
  const delayMs = Math.max(0, ...delays);
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
}
