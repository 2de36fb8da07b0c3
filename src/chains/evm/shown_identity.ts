import type { Identity } from "../chain.ts";
import { WrongChain } from "../faults.ts";
import type { ExpectedIdentity } from "../pool/shown_identity.ts";
import { quantity, safeNumber } from "./decode.ts";
import { decodeRef } from "./blocks/decode_block.ts";
import type { Rpc } from "./rpc.ts";

export async function identityOn(rpc: Rpc): Promise<Identity> {
  const [chainId, genesis] = await rpc.results([
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["0x0", false] },
  ]);
  return {
    chainId: quantity(chainId, "a chain id").toString(),
    genesisHash: decodeRef(genesis, 0).hash,
  };
}

/** Another chain may have started to answer behind the same URL. */
export function checkChainId(
  chainId: unknown,
  { host, expected }: { host: string; expected: ExpectedIdentity | undefined },
): number {
  const seen = safeNumber(chainId, "a chain id");
  if (!expected || String(seen) === expected.chainId) return seen;
  throw new WrongChain(`${expected.code} is chain ${expected.chainId}, but ${host} is on ${seen}`);
}
