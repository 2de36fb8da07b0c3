/** An output that pays one of our addresses. */
export interface MadeOutput {
  readonly txHash: string;
  /** Its index in its transaction. */
  readonly position: number;
  readonly address: string;
  readonly amountRaw: bigint;
  /** The lowest height of a block that may spend it; null: any. */
  readonly maturesAt: number | null;
}

/** An output, and what spends it. */
export interface SpentOutput {
  readonly outpoint: string;
  /** The hash of the transaction. */
  readonly spender: string;
}

/** One that nothing signed or mined spends, as the books know it. */
export interface UnspentOutput extends MadeOutput {
  /** Of the block it is in; null: made by a transaction of our own that no block has yet. */
  readonly height: number | null;
  /** So deep that it stays, or our own change, which comes again whatever is reorganised. */
  readonly isSure: boolean;
  /** The transactions in no block that hang together with its own, with that; none in a block. */
  readonly family: readonly string[];
  /** Bytes that spend it were refused, and exist: if it is spent otherwise, they never can be mined. */
  readonly isPromised: boolean;
}

/** Bytes that we signed. */
export interface OwnBytes {
  readonly txHash: string;
  readonly raw: string;
  /** The newest for their place. */
  readonly isLive: boolean;
}

interface HeldOutput extends MadeOutput {
  /** A later block spends it, so that nodes don't show it any more. */
  readonly isSpentLater: boolean;
}

/**
 * What the books know of outputs: nodes without a wallet and an index can't say what an address
 * holds.
 */
export interface OutputBook {
  /** Mature in the next block or our own change, in the order in which they were made. */
  unspentOf(asked: {
    readonly network: string;
    readonly addresses: readonly string[];
  }): Promise<readonly UnspentOutput[]>;
  /** What was in blocks up to this one and spent by none of them, whatever is signed. */
  heldAt(asked: {
    readonly network: string;
    readonly addresses: readonly string[];
    readonly height: number;
  }): Promise<readonly HeldOutput[]>;
  /** What an address has signed and no block has: what this one comes from, and what comes from it. */
  unminedAround(asked: {
    readonly network: string;
    readonly sender: string;
    readonly txHash: string;
  }): Promise<{ readonly before: readonly OwnBytes[]; readonly after: readonly OwnBytes[] }>;
  /** Those of these outpoints that are ours, spent or not. */
  at(asked: {
    readonly network: string;
    readonly outpoints: readonly string[];
  }): Promise<readonly MadeOutput[]>;
}
