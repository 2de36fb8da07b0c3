/** m/<bip>'/<coinType>'/<account>'/<branch>/<index> */
export interface KeyPath {
  /** The standard that says what the other numbers mean; 44 if absent. */
  readonly bip?: 44 | 84;
  readonly coinType: number;
  readonly account: number;
  readonly branch: KeyBranch;
  readonly index: number;
}

/** Of BIP-44, by what the keys are for. */
export const KEY_BRANCHES = { deposit: 0, hot: 1, gas: 2 } as const;

/**
 * Of a merchant's own key, whose number in the books is the account; by what its addresses are. There
 * is no such branch of our seed.
 */
export const XPUB_BRANCHES = { p2wpkh: 3, p2sh_p2wpkh: 4 } as const;

type Values<T> = T[keyof T];
export type KeyBranch = Values<typeof KEY_BRANCHES> | Values<typeof XPUB_BRANCHES>;

/** Where an address comes from. Of a merchant's own key, nobody here can sign. */
export function sourceOf({ keyBranch }: { readonly keyBranch: KeyBranch }): "seed" | "xpub" {
  return keyBranch <= KEY_BRANCHES.gas ? "seed" : "xpub";
}

/** What a key is for, and whose it is. */
export interface KeyUse {
  readonly purpose: keyof typeof KEY_BRANCHES;
  /** A merchant's number, or the operator's. */
  readonly account: number;
}

/** Merchants start at 1. */
export const OPERATOR_ACCOUNT = 0;
