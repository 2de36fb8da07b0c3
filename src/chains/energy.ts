import type { Loan, Quota, Stake } from "../domain/energy.ts";
import type { Charge, PriceOptions } from "./price.ts";
import type { SentStake } from "./sent_bytes.ts";
import type { SignedTransfer, SignOptions, TransferRefused } from "./transfer.ts";

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
  /** Checks that the chain would accept it, and what it costs at most. */
  prepareStake(order: StakeOrder, price?: PriceOptions): Promise<StakePreflight>;
  /** Sent, followed and judged like a transfer. */
  signStake(prepared: PreparedStake, options: SignOptions): Promise<SignedTransfer>;
}

export interface StakeOrder extends SentStake {
  readonly from: string;
}

export interface PreparedStake<Detail = unknown> {
  readonly order: StakeOrder;
  /** The most coins that leave the account: those that are staked, and the fee. */
  readonly nativeCostMaxRaw: bigint;
  /** The same when this many of the account's other transactions are mined first. */
  nativeCostAfter(others: number): bigint;
  readonly feeAtMostRaw: bigint;
  readonly charge: Charge;
  /** Only the family understands it. */
  readonly detail: Detail;
}

export type StakePreflight =
  | { readonly kind: "ready"; readonly prepared: PreparedStake }
  | TransferRefused;
