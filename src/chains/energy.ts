import type { Loan, Quota, Stake } from "../domain/energy.ts";
import type { PriceOptions } from "./price.ts";
import type { SentStake } from "./sent_bytes.ts";
import type { Preflight } from "./transfer.ts";

/**
 * Energy for calls of contracts, where coins can be staked for it and what a stake gives can be
 * lent. Amounts are base units of the coin. Without energy the same calls burn coins.
 */
export interface ChainEnergy {
  stakeOf(address: string): Promise<Stake>;
  /** What calls of an account can use: its own, and what is lent to it. */
  quotaOf(address: string): Promise<Quota>;
  /** What an account lends to those of its borrowers that `owned` picks; nobody else is asked for. */
  loansOf(
    address: string,
    owned: (borrowers: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<Loan[]>;
  /** How long coins stay away after they were unstaked. */
  unstakingDays(): Promise<number>;
  /**
   * Checks that the chain would accept it, and what it costs at most. It is signed, sent, followed
   * and judged like a transfer, and pays nobody.
   */
  prepareStake(order: StakeOrder, price?: PriceOptions): Promise<Preflight>;
}

export interface StakeOrder extends SentStake {
  readonly from: string;
}
