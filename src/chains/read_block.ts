import type { BlockRef } from "../following/rules/reorganisation.ts";
import type { TokenMove } from "./token_moves.ts";

export interface ReadBlock {
  readonly ref: BlockRef;
  /** By the chain's own clock. */
  readonly atMs: number;
  readonly transfers: readonly Transfer[];
  readonly spends: readonly Spend[];
  /** The median price per unit of gas that its transactions paid; null if none paid. */
  readonly paidRaw: bigint | null;
}

/** Money that reached one of our addresses in a successful transaction. */
export interface Transfer {
  readonly txHash: string;
  /**
   * 0 for the transaction's own value, 1 + n for the n-th log of its receipt (tokens), -2 - n for
   * the n-th payment inside the transaction, -1 for no payment to us.
   */
  readonly position: number;
  /** Null for the native coin. */
  readonly contract: string | null;
  /** For a payment inside a transaction, the contract that paid. */
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
  /**
   * Who signed the transaction and with which nonce; needed later to tell whether it can still
   * return.
   */
  readonly sender: string;
  readonly senderNonce: number;
}

/** A transaction that one of our addresses signed, whether it succeeded or not. */
export interface Spend {
  readonly txHash: string;
  readonly from: string;
  readonly nonce: number;
  readonly succeeded: boolean;
  readonly feeRaw: bigint;
  /** Tokens moved from the sender or, in a batch, from anybody, according to the logs. */
  readonly tokenMoves: readonly TokenMove[];
  /** Of a batch: whether each of its orders was carried out, as far as they were tried. */
  readonly carriedOut?: readonly boolean[];
}
