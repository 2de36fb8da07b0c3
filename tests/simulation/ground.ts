import type { Random } from "./random.ts";

export type Weather = "light" | "heavy";

export const FAMILIES = ["evm", "tron", "both"] as const;
/** Which chains a gateway has. */
export type Family = typeof FAMILIES[number];

export interface Coin {
  readonly symbol: string;
  readonly decimals: number;
}

/** One payment that the chain made, on the branch that counts. Addresses as `same` writes them. */
export interface Move {
  readonly hash: string;
  readonly height: number;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly raw: bigint;
}

export interface Payment {
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly raw: bigint;
  /** By hand, through a contract that passes it on, or as a token that only looks like ours. */
  readonly way: "plain" | "contract" | "false";
}

export interface ChainCounts extends Misbehaved {
  blocks: number;
  reorganisations: number;
  /** Blocks that the deepest reorganisation replaced. */
  deepest: number;
  mined: number;
}

/** Answers of nodes that were not what the chain holds. */
export interface Misbehaved {
  /** Refused, because the node has forgotten what is old. */
  pruned: number;
  /** From a lower block than the last answer was. */
  wentBack: number;
  /** With one wrong field. */
  lies: number;
  /** An error, though the transaction was taken. */
  tookAndRefused: number;
  /** Refused, because traces are switched off. */
  untraced: number;
}

export function newChainCounts(): ChainCounts {
  return {
    ...{ blocks: 0, reorganisations: 0, deepest: 0, mined: 0 },
    ...{ pruned: 0, wentBack: 0, lies: 0, tookAndRefused: 0, untraced: 0 },
  };
}

/** A chain with its nodes, as the people of a simulation use it. */
export interface Ground {
  /** Its code in the gateway. */
  readonly network: string;
  readonly coin: Coin;
  readonly token: Coin;
  /** The flags of `network add` and `currency add`. */
  readonly networkFlags: readonly string[];
  readonly tokenFlags: readonly string[];
  readonly minConfirmations: number;
  readonly payers: readonly string[];
  /** Coins that are enough for a day's fees of a wallet. */
  readonly fuel: bigint;
  readonly counts: ChainCounts;
  readonly height: number;
  start(): void;
  /** From now on every node is well and the chain grows quietly. */
  endFaults(): void;
  stop(): void;
  /** Returns the transaction's hash. */
  pay(payment: Payment): string;
  /** An address that nobody has used yet. */
  newAddress(random: Random): string;
  /** An address that refuses what it is sent, if there can be one. */
  readonly refuser: string;
  moves(): readonly Move[];
  /** One spelling for all spellings of an address. */
  same(address: string): string;
  /** As people write what `same` has made. */
  written(same: string): string;
}
