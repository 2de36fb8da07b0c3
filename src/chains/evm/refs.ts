import type { BlockRef } from "../chain.ts";
import { hexOf } from "./decode.ts";
import { decodeRef } from "./blocks/decode_block.ts";
import type { Rpc } from "./rpc.ts";

/** EIP-1898: a node that lacks the block, or reorganised it away, answers with an error. */
export interface AtHash {
  readonly blockHash: string;
  readonly requireCanonical: true;
}

export async function refOn(rpc: Rpc, height: number): Promise<BlockRef | undefined> {
  const block = await rpc.call("eth_getBlockByNumber", [hexOf(height), false]);
  return block === null ? undefined : decodeRef(block, height);
}
