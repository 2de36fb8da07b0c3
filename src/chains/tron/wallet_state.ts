import { first, zip } from "../../base/lists.ts";
import type { WalletNeed, WalletState } from "../chain.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import { hexOfAddress } from "./address.ts";
import { balancesOn } from "./balances_at.ts";
import type { History } from "./blocks/history.ts";
import type { TronNode } from "./node.ts";
import { newestOn } from "./refs.ts";
import type { TokenTexts } from "../token_text.ts";
import { decimalsOn, textsOn } from "./trc20.ts";

/** The balances of the newest block, without pending transactions. */
export async function readWalletState(
  endpoints: Endpoints<TronNode>,
  { address, contracts, history, need }: {
    address: string;
    contracts: readonly string[];
    history: History;
    need: WalletNeed | undefined;
  },
): Promise<WalletState> {
  const asked = [null, ...contracts].map((contract) => ({ address, contract }));
  return await endpoints.read(async (node) => {
    const block = await newestOn(node);
    const balances = await balancesOn(node, { block, asked, history });
    return {
      height: block.height,
      nonce: block.atMs,
      nativeRaw: first(balances),
      tokensRaw: new Map(zip(contracts, balances.slice(1))),
      hasCode: false,
    };
  }, need);
}

export async function readTokenDecimals(
  endpoints: Endpoints<TronNode>,
  contract: string,
): Promise<number | undefined> {
  return await endpoints.read((node) => decimalsOn(node, hexOfAddress(contract)));
}

export async function readTokenTexts(
  endpoints: Endpoints<TronNode>,
  contract: string,
): Promise<TokenTexts | undefined> {
  return await endpoints.read((node) => textsOn(node, hexOfAddress(contract)));
}
