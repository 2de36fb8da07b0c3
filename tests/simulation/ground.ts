import type { Random } from "./random.ts";

export type Weather = "light" | "heavy";

/** `both` are EVM and TRON; `all` are these with Bitcoin. */
export const FAMILIES = ["evm", "tron", "both", "bitcoin", "all"] as const;
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
  /** What left `from` for it, where the fee comes out of what is moved; otherwise as much. */
  readonly gaveRaw?: bigint;
  /** The lowest height of a block that may spend it. */
  readonly maturesAt?: number;
}

export interface Fee {
  readonly hash: string;
  readonly from: string;
  readonly raw: bigint;
}

export interface Payment {
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly raw: bigint;
  /**
   * By hand; through a contract that passes it on, or from coins that are in no block yet; or as
   * something that only looks like a payment: a false token, or what its payer takes back.
   */
  readonly way: "plain" | "contract" | "false";
  /** Of the operator's own, which nobody takes back by himself. */
  readonly isKept?: boolean;
}

export interface ChainCounts extends Misbehaved {
  blocks: number;
  reorganisations: number;
  /** Blocks that the deepest reorganisation replaced. */
  deepest: number;
  mined: number;
  /** Transactions that carried several orders out, and those orders. */
  batches: number;
  collected: number;
  /** Times that energy was lent. */
  loans: number;
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
    ...{ batches: 0, collected: 0, loans: 0 },
    ...{ pruned: 0, wentBack: 0, lies: 0, tookAndRefused: 0, untraced: 0 },
  };
}

/** A chain with its nodes, as the people of a simulation use it. */
export interface Ground {
  /** Its code in the gateway. */
  readonly network: string;
  readonly coin: Coin;
  /** Undefined where there are none. */
  readonly token: Coin | undefined;
  /** Whoever signs pays with its own coins elsewhere. */
  readonly hasGas: boolean;
  /** Less than this isn't credited alone there. */
  dustAt(address: string): bigint;
  /** Of a deposit, what is always worth its sweep. */
  readonly worth: string;
  /** Whose a lost address was, its key says. */
  readonly keysShowOwners: boolean;
  /** The flags of `network add` and `currency add`. */
  readonly networkFlags: readonly string[];
  readonly tokenFlags: readonly string[];
  readonly minConfirmations: number;
  /** From which on the gateway reads. */
  readonly startBlock: number;
  readonly payers: readonly string[];
  /** A payment that can't come any more, though nothing shows it. */
  isLost?(hash: string): boolean;
  /** What every address was paid, where money lies in outputs, as `txid:n raw`. */
  outputs?(): readonly { readonly to: string; readonly key: string }[];
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
  /** Where a merchant wants its money: such an address, or a key of its own wallet's addresses. */
  newReceiver(random: Random): string;
  /** One that such a key gave: the gateway has no key of it. As `same` writes it. */
  isOfReceiver?(address: string): boolean;
  /** Where sweeps go then, as `same` writes it. */
  sweptTo(receiver: string): string;
  /** An address that refuses what it is sent, if there can be one. */
  readonly refuser: string;
  moves(): readonly Move[];
  /** What each transaction cost its sender. */
  fees(): readonly Fee[];
  /** As `same` writes it. Gas of the operator pays for what it signs. */
  gasWallet: string;
  /** Sweeps can share a transaction there. */
  readonly canCollect: boolean;
  /** Coins can be staked for what transactions cost there. */
  readonly canStake: boolean;
  /** What the gas wallet has staked, each as it was sent. */
  stakes(): readonly bigint[];
  /** Somebody else lets code that isn't ours run at a new address of the gateway. */
  haunt(address: string): void;
  /** The gateway's books are older ones now. */
  restored(): void;
  /** Promises that the chain itself saw broken. */
  readonly wrongs: readonly string[];
  /** What has to end before a reckoning. */
  unended(): readonly string[];
  /** One spelling for all spellings of an address. */
  same(address: string): string;
  /** As people write what `same` has made. */
  written(same: string): string;
}

/** The native one first. */
export function coinsOf({ coin, token }: Ground): readonly Coin[] {
  return token ? [coin, token] : [coin];
}

export function coinNamed(ground: Ground, symbol: string): Coin {
  const coin = coinsOf(ground).find((one) => one.symbol === symbol);
  if (!coin) throw new Error(`Nothing is called ${symbol} on ${ground.network}`);
  return coin;
}

/** So that it is credited: enough blocks are upon it, and the next one may spend it. */
export function isDeep(ground: Ground, { height, maturesAt = 0 }: Move): boolean {
  const { minConfirmations, height: now } = ground;
  return height <= now - minConfirmations + 1 && maturesAt <= now + 1;
}

const KEY = /^[tuv]pub/;

export function receiverFlags(receiver: string): readonly string[] {
  return [KEY.test(receiver) ? "--xpub" : "--address", receiver];
}
