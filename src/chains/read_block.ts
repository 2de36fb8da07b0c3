import type { BlockRef } from "../following/rules/reorganisation.ts";
import type { Claim } from "./family.ts";
import type { MadeOutput, SpentOutput } from "./outputs.ts";
import type { TokenMove } from "./token_moves.ts";

export interface ReadBlock {
  readonly ref: BlockRef;
  /** By the chain's own clock. */
  readonly atMs: number;
  readonly transfers: readonly Transfer[];
  readonly spends: readonly Spend[];
  /** What pays our addresses, where money lies in outputs. */
  readonly outputs?: readonly MadeOutput[];
  /** Of the outputs that are watched, those that it spends. */
  readonly spent?: readonly SpentOutput[];
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
  /**
   * What it and its ancestors in no block spend, where money lies in outputs: once something else
   * has spent one of these, it never comes. Of a great many, the first.
   */
  readonly inputs?: readonly SpentOutput[];
  /** The lowest height of a block that may spend it; undefined: any. */
  readonly maturesAt?: number;
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
  /** All that it pays has its outcome, whoever's money it is. */
  readonly isWhole?: boolean;
  /** What it used up, where that isn't a number of its sender. */
  readonly uses?: readonly Claim[];
  /** Of a batch: whether each of its orders was carried out, as far as they were tried. */
  readonly carriedOut?: readonly boolean[];
}
