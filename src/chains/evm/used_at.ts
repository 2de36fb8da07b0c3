import type { BlockAt } from "../chain.ts";
import { quantity } from "./decode.ts";
import type { Endpoints } from "./endpoints.ts";

/**
 * An address that ever sent anything has a nonce. One node answers for all, and fails if it lacks
 * the block.
 */
export async function readUsedAt(
  endpoints: Endpoints,
  { block, addresses }: { block: BlockAt; addresses: readonly string[] },
): Promise<boolean[]> {
  const at = { blockHash: block.hash, requireCanonical: true };
  return await endpoints.read(async (rpc) => {
    const nonces = await rpc.results(
      addresses.map((address) => ({ method: "eth_getTransactionCount", params: [address, at] })),
    );
    return nonces.map((nonce) => quantity(nonce, "a nonce") > 0n);
  });
}
