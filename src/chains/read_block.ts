import type { BlockRef } from "../domain/states/chain_follow.ts";
import type { TokenMove } from "./token_moves.ts";

export interface ReadBlock {
  readonly ref: BlockRef;
  /** By the chain's own clock. */
  readonly atMs: number;
  readonly transfers: readonly Transfer[];
  readonly spends: readonly Spend[];
  /** What its transactions paid for a unit of gas, the median; null where none did. */
  readonly paidRaw: bigint | null;
}

/** Money that reached an owned address in a transaction that succeeded. */
export interface Transfer {
  readonly txHash: string;
  /**
   * 0 for the transaction's own value, 1 + the log's ordinal inside its receipt for a token, and
   * -2 - n for the n-th payment inside the transaction. -1 stands for no payment to us.
   */
  readonly position: number;
  /** Null for the native coin. */
  readonly contract: string | null;
  /** For a payment inside a transaction the contract that paid. */
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
  /** Who signed the transaction, and with which nonce: tells later whether it can still come back. */
  readonly sender: string;
  readonly senderNonce: number;
}

/** A transaction that an owned address signed, whatever it did. */
export interface Spend {
  readonly txHash: string;
  readonly from: string;
  readonly nonce: number;
  readonly succeeded: boolean;
  readonly feeRaw: bigint;
  /** What its logs tell that tokens moved from the sender. */
  readonly tokenMoves: readonly TokenMove[];
}
