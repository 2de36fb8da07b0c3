import type { ChainReader, Transfer } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import type { OutputBook } from "../../outputs.ts";
import type { Pool } from "../../pool/endpoints.ts";
import type { BitcoinNode } from "../node/node.ts";
import type { BitcoinNetwork } from "../params.ts";
import { lookAtMempool, type MempoolMemory, newMempoolMemory } from "./look.ts";

/** What any node shows, even if the others don't: nothing is credited by it. */
export function createPending(
  { pool, network, code, book }: {
    pool: Pool<BitcoinNode>;
    network: BitcoinNetwork;
    code: string;
    book: OutputBook;
  },
): NonNullable<ChainReader["pending"]> {
  const memories = new Map<string, MempoolMemory>();
  return async (watch) => {
    const answers = await pool.each((node) => {
      const memory = memories.getOrInsertComputed(node.host, newMempoolMemory);
      return lookAtMempool(node, { network, code, book, watch, memory });
    });
    const found = answers.flatMap((answer) => answer.ok ? [answer.value] : []);
    if (found.length === 0) {
      const errors = answers.flatMap((answer) => answer.ok ? [] : [answer.error]);
      throw new NodeError(errors.map(({ message }) => message).join("; "), { cause: errors });
    }
    const byHash = new Map<string, readonly Transfer[]>(found.flatMap((ours) => [...ours]));
    return [...byHash.values()].flat();
  };
}
