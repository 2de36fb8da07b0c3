import type { BlockAt } from "../chain.ts";
import { NodeError } from "../faults.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import { mapBounded } from "../pool/map_bounded.ts";
import { accountOn } from "./account.ts";
import { hexOfAddress } from "./address.ts";
import type { TronNode } from "./node.ts";
import { headerOn } from "./refs.ts";

const CALLS_AT_ONCE = 8;

/** An account exists once coins have reached it, and tokens can leave only if it has coins. */
export async function readUsedAt(
  endpoints: Endpoints<TronNode>,
  { block, addresses }: { block: BlockAt; addresses: readonly string[] },
): Promise<boolean[]> {
  return await endpoints.read(async (node) => {
    const there = await headerOn(node, block.height);
    if (there?.hash !== block.hash) {
      throw new NodeError(`${node.host} does not have block ${block.hash}`);
    }
    return await mapBounded(addresses, {
      concurrencyMax: CALLS_AT_ONCE,
      work: async (address) =>
        await accountOn(node, { address: hexOfAddress(address) }) !== undefined,
    });
  }, { height: block.height });
}
