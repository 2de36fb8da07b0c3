import { type RpcCall, startRpcProxy } from "../../../src/sandbox/faults/rpc_proxy.ts";

interface NodeDouble extends AsyncDisposable {
  readonly url: string;
  answer: Answer;
}

/** `NEVER`: the caller hears nothing until it gives up. */
export const NEVER = Symbol("never");

/** Answers in place of a node, now or later; `ask` passes the call on to it. */
type Answer = (call: RpcCall, ask: () => Promise<unknown>) => Promise<unknown>;

/** A node that is slow, or answers differently from the real one behind it. */
export async function startNodeDouble(nodeUrl: string, answer: Answer): Promise<NodeDouble> {
  const double = { answer };
  const proxy = await startRpcProxy(nodeUrl, async ({ calls, ask, reply }) => {
    const replies = await Promise.all(
      calls.map((call) => double.answer(call, async () => (await ask([call]))[0])),
    );
    return replies.includes(NEVER) ? "silence" : reply(replies);
  });
  return Object.assign(double, proxy);
}

/** The error with which a node refuses. */
export function rpcError({ id }: RpcCall, message: string): unknown {
  return { jsonrpc: "2.0", id, error: { code: -32000, message } };
}
