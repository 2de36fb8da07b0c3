/** A signed transaction, decoded from the bytes that its hash vouches for. */
export interface SentBytes {
  readonly txHash: string;
  /** Bytes that can be sent again; empty if we never sign that type. */
  readonly raw: string;
  /** Its signer, or the account in whose name the chain itself sent it. */
  readonly sender: string;
  readonly nonce: number;
  /** Null unless it only pays coins or one token to one address. */
  readonly payment: SentPayment | null;
  /**
   * Absent unless it calls a collector with orders, gathers what is ours in one output, or pays
   * several from one address.
   */
  readonly batch?: SentBatch;
  /** The collector that it deploys for its sender; absent otherwise. */
  readonly deploys?: string;
  /** Only if it changes what is staked for energy, or whom it is lent to. */
  readonly stake?: SentStake;
}

export interface SentBatch {
  /** Null where it needs none. */
  readonly collector: string | null;
  readonly orders: readonly SentOrder[];
  /** What addresses signed to run the collector's code, or (null) no code any more. */
  readonly authorizations: readonly SentAuthorization[];
}

export interface SentOrder extends SentPayment {
  readonly from: string;
  /** Which of its outputs, if it pays several. */
  readonly output?: number;
}

interface SentAuthorization {
  readonly address: string;
  readonly nonce: number;
  readonly delegate: string | null;
}

export interface SentPayment {
  readonly to: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly amountRaw: bigint;
}

export interface SentStake {
  readonly kind: "stake" | "unstake" | "collect" | "lend" | "take_back";
  /** Zero for what it doesn't say: the coins of a stake that has waited long enough. */
  readonly amountRaw: bigint;
  /** Whom it is lent to, or taken back from. */
  readonly to: string | null;
}
