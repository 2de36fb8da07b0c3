import {
  type Exchange,
  type HttpAnswer,
  type RpcCall,
  type RpcReply,
  startRpcProxy,
} from "../../../src/sandbox/faults/rpc_proxy.ts";

export type { RpcReply };

/** The fault of one call of a request. All but `pass` and `edit` apply to the whole request. */
export type Fault =
  | "pass"
  /** The connection dies, before or after the node has seen the request. */
  | { readonly drop: "before" | "after" }
  /** `forwarded`: the node has seen the request anyway. */
  | { readonly status: number; readonly body: string; readonly forwarded?: boolean }
  /** Gets the node's reply to this call and gives back another, or a promise of one. */
  | { readonly edit: (reply: RpcReply) => unknown }
  | { readonly delayMs: number };

export type OnCall = (method: string, params: readonly unknown[], body: string) => Fault;

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  onCall: OnCall;
  /** The calls so far, one entry for each HTTP body. */
  readonly bodies: (readonly RpcCall[])[];
}

/** Stands between the gateway and a node, and applies the test's faults call by call. */
export async function startFaultProxy(nodeUrl: string, onCall: OnCall): Promise<FaultProxy> {
  const directed = { onCall, bodies: [] as (readonly RpcCall[])[] };
  const ended = new AbortController();
  const proxy = await startRpcProxy(nodeUrl, async (exchange) => {
    const { calls, body } = exchange;
    directed.bodies.push(calls);
    const faults = calls.map(({ method, params }) => directed.onCall(method, params, body));
    return await befall(exchange, { faults, ended: ended.signal });
  });
  const dispose = async () => {
    ended.abort();
    await proxy[Symbol.asyncDispose]();
  };
  return Object.assign(directed, proxy, { [Symbol.asyncDispose]: dispose });
}

async function befall(
  { calls, ask, reply }: Exchange,
  { faults, ended }: { faults: readonly Fault[]; ended: AbortSignal },
): Promise<HttpAnswer | "drop"> {
  const all = faults.filter((fault) => fault !== "pass");
  const isDropped = (when: "before" | "after") =>
    all.some((fault) => "drop" in fault && fault.drop === when);
  if (isDropped("before")) return "drop";
  await pause(Math.max(0, ...all.map((fault) => "delayMs" in fault ? fault.delayMs : 0)));
  // What still waited here would otherwise reach the node in the middle of the next test.
  if (ended.aborted) return "drop";
  const broken = all.find((fault) => "status" in fault);
  if (broken && !broken.forwarded) return broken;
  const replies = await ask(calls);
  if (isDropped("after")) return "drop";
  return broken ?? reply(await Promise.all(replies.map((one, i) => edited(faults[i]!, one))));
}

function edited(fault: Fault, reply: RpcReply): unknown {
  return fault !== "pass" && "edit" in fault ? fault.edit(reply) : reply;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
