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
}

export interface SentPayment {
  readonly to: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly amountRaw: bigint;
}
