import { KEY_BRANCHES } from "../wallets/rules/key_path.ts";
import type { ChainRules } from "./rules.ts";

/** A hardened account for each merchant keeps them apart, with a branch for each purpose. */
export function bip44(coinType: number): Pick<ChainRules, "bip" | "coinType" | "keysFor"> {
  return {
    bip: 44,
    coinType,
    keysFor: ({ purpose, account }) => ({ coinType, account, branch: KEY_BRANCHES[purpose] }),
  };
}
