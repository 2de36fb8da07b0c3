import type { TestCoin } from "../gateway.ts";

/** What happens to signed bytes that the gateway sends. */
export type Sending =
  | "taken"
  /** The node has them, but the connection dies before it answers. */
  | "reply_lost"
  /** The connection dies on the way: no node has them. */
  | "lost"
  /** The node answers that these bytes can never be mined. */
  | "refused";

export interface GroundToken {
  readonly address: string;
  mint(to: string, raw: bigint): Promise<void>;
  balanceOf(holder: string): Promise<bigint>;
  /** After a ban, the holder can't send the token. */
  ban(holder: string): Promise<void>;
}

/** A chain that a test controls; every family offers the same operations. */
export interface Ground extends AsyncDisposable {
  readonly coin: TestCoin;
  readonly code: string;
  readonly chainId: string;
  readonly rpcUrl: string;
  /** The first block that is read, if it isn't the first of the chain. */
  readonly startHeight?: number;
  /** After so many blocks a payment is credited, and not before. */
  readonly minConfirmations: number;
  /** An address that belongs to nobody here. */
  readonly stranger: string;
  readonly receiver: string;
  /** Texts that are nearly an address. */
  readonly misspelled: readonly string[];
  /** The coins that an address needs to send a token once. */
  readonly gasRaw: bigint;
  mine(blocks: number): Promise<void>;
  /** Mines transactions as they arrive, or not; the default is on. */
  mineBySelf(isOn: boolean): Promise<void>;
  /** A customer's payment, in a block. */
  pay(to: string, raw: bigint): Promise<string>;
  /** Gives coins to an address, without a transaction where that can be done. */
  give(address: string, raw: bigint): Promise<void>;
  addToken(): Promise<GroundToken>;
  coinsOf(address: string): Promise<bigint>;
  /** A longer branch replaces the newest blocks, and no node knows their transactions any more. */
  reorg(depth: number): Promise<void>;
  /** The same, but a transaction of the lost blocks is in the first new one. */
  reorgWith(depth: number, txHash: string): Promise<void>;
  /** Mines a transaction that a reorganisation removed. */
  mineAgain(txHash: string): Promise<void>;
  /** Makes all nodes forget the transaction. */
  forget(txHash: string): Promise<void>;
  /** From now on nothing this address signed that isn't mined yet can be. */
  outlast(sender: string): Promise<void>;
  /** The number of mined transactions that this address signed. */
  countSentBy(address: string): Promise<number>;
  /** Called for each broadcast. */
  onSending: () => Sending;
  /** The bytes of each, as they came. */
  readonly sent: readonly string[];
  /** A payer, in a transaction that reached no block. */
  readonly customer: string;
  /** The state of withdrawals that no block can include any more. */
  readonly endReason: "dropped" | "expired";
}
