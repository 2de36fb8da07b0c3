import type { WalletState } from "../chain.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import { coinsOn } from "./account.ts";
import { hexOfAddress } from "./address.ts";
import type { TronNode } from "./node.ts";
import { newestOn } from "./refs.ts";
import { balanceOn, decimalsOn } from "./trc20.ts";

/**
 * Balances are those of the newest block whenever they are asked, so the height is taken before: what
 * came in between only makes a transfer count as unmined for a moment longer.
 */
export async function readWalletState(
  endpoints: Endpoints<TronNode>,
  { address, contracts }: { address: string; contracts: readonly string[] },
): Promise<WalletState> {
  const owner = hexOfAddress(address);
  return await endpoints.read(async (node) => {
    const { height, atMs } = await newestOn(node);
    const [nativeRaw, ...tokens] = await Promise.all([
      coinsOn(node, owner),
      ...contracts.map((contract) => balanceOn(node, { owner, contract: hexOfAddress(contract) })),
    ]);
    return {
      height,
      nonce: atMs,
      nativeRaw,
      tokensRaw: new Map(contracts.map((contract, i) => [contract, tokens[i]!])),
      hasCode: false,
    };
  });
}

export async function readTokenDecimals(
  endpoints: Endpoints<TronNode>,
  contract: string,
): Promise<number | undefined> {
  return await endpoints.read((node) => decimalsOn(node, hexOfAddress(contract)));
}
