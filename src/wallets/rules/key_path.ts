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
export type KeyBranch = typeof KEY_BRANCHES[keyof typeof KEY_BRANCHES];

/** What a key is for, and whose it is. */
export interface KeyUse {
  readonly purpose: keyof typeof KEY_BRANCHES;
  /** A merchant's number, or the operator's. */
  readonly account: number;
}

/** Merchants start at 1. */
export const OPERATOR_ACCOUNT = 0;
