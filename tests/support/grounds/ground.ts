import type { TestCoin } from "../gateway.ts";

/** What becomes of signed bytes that the gateway sends. */
export type Sending =
  | "taken"
  /** The node has them, and the connection dies before it can say so. */
  | "reply_lost"
  /** The connection dies on the way: no node has them. */
  | "lost"
  /** In the words with which a node says that these bytes can never be mined. */
  | "refused";

export interface GroundToken {
  readonly address: string;
  mint(to: string, raw: bigint): Promise<void>;
  balanceOf(holder: string): Promise<bigint>;
  /** Whoever is banned can send none of it any more. */
  ban(holder: string): Promise<void>;
}

/** A chain in the hands of a test, of whichever family: the same can be done to all of them. */
export interface Ground extends AsyncDisposable {
  readonly coin: TestCoin;
  readonly code: string;
  readonly chainId: string;
  readonly rpcUrl: string;
  /** After so many blocks a payment is credited, and not before. */
  readonly minConfirmations: number;
  /** Of nobody here. */
  readonly stranger: string;
  readonly receiver: string;
  /** Texts that are nearly an address. */
  readonly misspelled: readonly string[];
  /** How many coins an address needs to send a token once. */
  readonly gasRaw: bigint;
  mine(blocks: number): Promise<void>;
  /** Whether transactions are mined as they come; as they do at first. */
  mineBySelf(isOn: boolean): Promise<void>;
  /** A customer's payment, in a block. */
  pay(to: string, raw: bigint): Promise<string>;
  /** As if the address had always had it. */
  give(address: string, raw: bigint): Promise<void>;
  addToken(): Promise<GroundToken>;
  coinsOf(address: string): Promise<bigint>;
  /** The newest blocks give way to longer ones, and no node knows their transactions any more. */
  reorg(depth: number): Promise<void>;
  /** What a reorganisation took away is mined after all. */
  mineAgain(txHash: string): Promise<void>;
  /** As if no node had ever had it. */
  forget(txHash: string): Promise<void>;
  /** From now on no block can have what this address signed and none has yet. */
  outlast(sender: string): Promise<void>;
  /** Of everything that this address signed and a block has: how much in all. */
  countSentBy(address: string): Promise<number>;
  /** Asked of each sending. */
  onSending: () => Sending;
  /** The bytes of each, as they came. */
  readonly sent: readonly string[];
  /** A payer, in a transaction that reached no block. */
  readonly customer: string;
  /** What withdrawals end as when no block can have them any more. */
  readonly endReason: "dropped" | "expired";
}
