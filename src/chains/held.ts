/** Of one block. */
export interface Held {
  readonly height: number;
  /** The block's time, where that is a transaction's place. */
  readonly atMs?: number;
  readonly nativeRaw: bigint;
  readonly tokensRaw: ReadonlyMap<string, bigint>;
}

export interface HeldAsked {
  readonly address: string;
  readonly contracts: readonly string[];
}

export interface WalletState {
  /** The balances include every block up to this one. */
  readonly height: number;
  /** The next nonce by mined blocks only, without the pool. Where transfers expire, the chain's time. */
  readonly nonce: number;
  readonly nativeRaw: bigint;
  readonly tokensRaw: ReadonlyMap<string, bigint>;
  /**
   * A contract, or delegated (EIP-7702): nodes accept one pending transaction at a time from it.
   * Left out if that wasn't asked.
   */
  readonly hasCode?: boolean;
}
