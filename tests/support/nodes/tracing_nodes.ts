import type { Anvil, Reply } from "./anvil.ts";
import { type Fault, type FaultProxy, startFaultProxy } from "./fault_proxy.ts";

const NOT_FOUND = { code: -32601, message: "Method not found" };
const TRACES = ["debug_traceBlockByHash", "trace_block"];

/** A node that lacks these methods. */
export function startNodeWithout(
  anvil: Anvil,
  methods: readonly string[] = TRACES,
): Promise<FaultProxy> {
  return startFaultProxy(anvil.url, (method) => methods.includes(method) ? refused() : "pass");
}

export function refused(error: { code: number; message: string } = NOT_FOUND): Fault {
  return { edit: ({ id }) => ({ jsonrpc: "2.0", id, error }) };
}

/** A node whose `debug_traceBlockByHash` is another's: what `change` makes of it. */
export function startNodeWithTraces(
  anvil: Anvil,
  change: (traces: Reply[]) => unknown,
): Promise<FaultProxy> {
  return startFaultProxy(anvil.url, (method) => {
    if (method === "trace_block") return refused();
    if (!isTraceCall({ method })) return "pass";
    return {
      edit: (reply) => ({ ...reply, result: change(structuredClone(reply.result) as Reply[]) }),
    };
  });
}

export function isTraceCall({ method }: { method: string }): boolean {
  return TRACES.includes(method);
}
