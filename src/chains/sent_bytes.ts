/** A transaction as it was signed, read out of the bytes that its hash vouches for. */
export interface SentBytes {
  readonly txHash: string;
  /** As they can be sent again; empty where this program would not sign that kind. */
  readonly raw: string;
  /** Whose signature it carries, or in whose name the chain itself sent it. */
  readonly sender: string;
  readonly nonce: number;
  /** Null where it does anything but pay coins or one token to one address. */
  readonly payment: SentPayment | null;
}

export interface SentPayment {
  readonly to: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly amountRaw: bigint;
}
