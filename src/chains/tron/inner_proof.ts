import { NodeError } from "../chain.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import type { TronBlock } from "./decode_block.ts";
import type { TronNode } from "./node.ts";
import { newestOn } from "./refs.ts";
import { scanBlocks } from "./scan_blocks.ts";

const BLOCKS_LOOKED_AT = 20;

/**
 * A node tells what contracts paid only if it was set up to, and its silence looks like that of a
 * chain on which nothing happened. It has to have told of one call inside a transaction.
 */
export interface InnerProof {
  canTrace(endpoints: Endpoints<TronNode>, quorum: number): Promise<boolean>;
  /** Also where one of these blocks is the proof. */
  holds(node: TronNode, blocks: readonly TronBlock[]): Promise<boolean>;
}

export function createInnerProof(): InnerProof {
  const proved = new Set<string>();

  function isProvedBy({ host }: TronNode, blocks: readonly TronBlock[]): boolean {
    if (blocks.some(({ txs }) => txs.some(({ info }) => info.inner !== undefined))) {
      proved.add(host);
    }
    return proved.has(host);
  }

  async function proves(node: TronNode): Promise<boolean> {
    if (proved.has(node.host)) return true;
    const { height: to } = await newestOn(node);
    const from = Math.max(1, to - BLOCKS_LOOKED_AT + 1);
    return from <= to && isProvedBy(node, await scanBlocks(node, { from, to }));
  }

  return {
    canTrace: async (endpoints, quorum) => {
      const answers = await endpoints.each(proves);
      const errors = answers.flatMap((answer) => answer.ok ? [] : [answer.error]);
      if (errors.length === answers.length) {
        throw new NodeError(errors.map(({ message }) => message).join("; "), { cause: errors });
      }
      return answers.filter((answer) => answer.ok && answer.value).length >= quorum;
    },
    holds: async (node, blocks) => isProvedBy(node, blocks) || await proves(node),
  };
}
