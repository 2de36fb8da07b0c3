import { type Identity, WrongChain } from "../chain.ts";
import { quantity, safeNumber } from "./decode.ts";
import { decodeRef } from "./decode_block.ts";
import type { Rpc } from "./rpc.ts";

/** What an endpoint has to show before anything else that it says counts. */
export interface ExpectedIdentity {
  /** The network's code, for whoever reads the error. */
  readonly code: string;
  readonly chainId: string;
  readonly genesisHash: string | null;
}

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

export function checkIdentity(host: string, seen: Identity, expected: ExpectedIdentity): void {
  const isSame = seen.chainId === expected.chainId &&
    (expected.genesisHash === null || seen.genesisHash === expected.genesisHash);
  if (isSame) return;
  const { code, chainId, genesisHash } = expected;
  throw new WrongChain(
    `${code} is ${textOf({ chainId, genesisHash: genesisHash ?? "unknown" })}, ` +
      `but ${host} is on ${textOf(seen)}`,
  );
}

/** Behind the same URL another chain may have come to answer. */
export function checkChainId(
  chainId: unknown,
  { host, expected }: { host: string; expected: ExpectedIdentity | undefined },
): number {
  const seen = safeNumber(chainId, "a chain id");
  if (!expected || String(seen) === expected.chainId) return seen;
  throw new WrongChain(`${expected.code} is chain ${expected.chainId}, but ${host} is on ${seen}`);
}

export function textOf({ chainId, genesisHash }: Identity): string {
  return `chain ${chainId} with genesis ${genesisHash}`;
}
