import type { Anvil } from "./anvil.ts";
import type { FaultProxy } from "./fault_proxy.ts";
import { hex } from "../payers.ts";

/** Answers like a node whose newest block is this one. */
export async function showOnly(
  proxy: FaultProxy,
  { anvil, tip }: { anvil: Anvil; tip: number },
): Promise<void> {
  const [head, finalized] = await Promise.all([
    anvil.rpc("eth_getBlockByNumber", [hex(tip), false]),
    anvil.rpc("eth_getBlockByNumber", [hex(0), false]),
  ]);
  const answer = (result: unknown) => ({ edit: (reply: object) => ({ ...reply, result }) });
  proxy.onCall = (method, [tag]) => {
    if (method === "eth_blockNumber") return answer(hex(tip));
    if (method !== "eth_getBlockByNumber") return "pass";
    if (tag === "latest") return answer(head);
    if (tag === "finalized" || tag === "safe") return answer(finalized);
    return Number(tag) > tip ? answer(null) : "pass";
  };
}
