// deno-lint-ignore-file no-console
/** Asks a node that answers with too much, and prints what that took: peak of memory, and time. */
import { NodeError } from "../../../src/chains/faults.ts";
import { connectRpc } from "../../../src/chains/evm/rpc.ts";
import { openNode } from "../../../src/chains/tron/node.ts";

const [family, method, url] = Deno.args as [string, string, string];

function peakMib(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024;
}

async function ask(): Promise<unknown> {
  const line = { fetch, timeoutMs: 60_000 };
  const params = method === "eth_getBlockByNumber" ? ["0x1", true] : [];
  return family === "evm"
    ? await connectRpc({ url, ...line }).call(method, params)
    : await openNode(url)({ ...line, gate: (send) => send() }).ask(method, {});
}

const before = peakMib();
const startedAtMs = performance.now();
const error = await ask().then(() => "answered", (thrown) => {
  if (!(thrown instanceof NodeError)) throw thrown;
  return thrown.message;
});
const tookMs = Math.round(performance.now() - startedAtMs);
console.log(JSON.stringify({ error, grownMib: Math.round(peakMib() - before), tookMs }));
