import type { Endpoints } from "../../pool/endpoints.ts";
import { isConfirmedBy } from "../../pool/asking/answers.ts";
import type { TronBlock } from "./decode_block.ts";
import type { TronNode } from "../node.ts";
import { newestOn } from "../refs.ts";
import { scanBlocks } from "./scan_blocks.ts";

const BLOCKS_LOOKED_AT = 20;

/**
 * A node reports contract payments only if configured to, and otherwise looks like one on a chain
 * where none happened. So it counts only after it has reported at least one inner call.
 */
export interface InnerProof {
  canTrace(endpoints: Endpoints<TronNode>, quorum: number): Promise<boolean>;
  /** Null if unknown. */
  isTracing(host: string): boolean | null;
  /** Blocks that were read may contain the proof. */
  note(node: TronNode, blocks: readonly TronBlock[]): void;
  /** True also if one of these blocks is the proof. */
  holds(node: TronNode, blocks: readonly TronBlock[]): Promise<boolean>;
}

export function createInnerProof(): InnerProof {
  const proved = new Set<string>();
  /** Blocks read from each node since it was last asked. */
  const seen = new Map<string, number>();

  function isProvedBy({ host }: TronNode, blocks: readonly TronBlock[]): boolean {
    seen.set(host, (seen.get(host) ?? 0) + blocks.length);
    if (blocks.some(({ txs }) => txs.some(({ info }) => info.inner !== undefined))) {
      proved.add(host);
    }
    return proved.has(host);
  }

  async function proves(node: TronNode): Promise<boolean> {
    const isLookedAt = (seen.get(node.host) ?? 0) >= BLOCKS_LOOKED_AT;
    seen.delete(node.host);
    if (proved.has(node.host) || isLookedAt) return proved.has(node.host);
    const { height: to } = await newestOn(node);
    const from = Math.max(1, to - BLOCKS_LOOKED_AT + 1);
    return from <= to && isProvedBy(node, await scanBlocks(node, { from, to }));
  }

  return {
    canTrace: async (endpoints, quorum) => isConfirmedBy(quorum, await endpoints.each(proves)),
    isTracing: (host) => proved.has(host) ? true : null,
    note: (node, blocks) => void isProvedBy(node, blocks),
    holds: async (node, blocks) => isProvedBy(node, blocks) || await proves(node),
  };
}
