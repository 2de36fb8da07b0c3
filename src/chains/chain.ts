import type { BlockRef } from "../domain/states/chain_follow.ts";
import type { EndpointHealth } from "./health.ts";
import type { Charge, PriceOptions } from "./price.ts";
import type { ReadBlock, Spend, Transfer } from "./read_block.ts";
import type { SentBytes } from "./sent_bytes.ts";
import type { SeenTransaction } from "./seen_transaction.ts";
import type { TokenTexts } from "./token_text.ts";
import type { Signer } from "../domain/signer.ts";

/** A network's nodes behind one small surface. Heights are block numbers, amounts are base units. */
export interface Chain {
  /** One for each endpoint, in the operator's order. */
  health(): readonly EndpointHealth[];
  /** Asks every endpoint and fails when they disagree. */
  identity(): Promise<Identity>;
  tip(options?: TipOptions): Promise<Tip>;
  /** How long no block is to be expected; null where that is not known. */
  quietForMs(): number | null;
  /** Undefined where the node has no block at that height (yet). */
  refAt(height: number): Promise<BlockRef | undefined>;
  /** How many endpoints have this very block. */
  witnesses(block: { height: number; hash: string }): Promise<number>;
  /**
   * The hashes of those that stand in the chain for good just as they were read. A family that reads by
   * height asks again, once nothing can change; and of what failed no endpoint may say that it did not.
   */
  finalView(seen: readonly SeenTransaction[]): Promise<ReadonlySet<string>>;
  /** Blocks `from..to`, each linked to the one before and checked against itself. */
  readBlocks(range: HeightRange, watch: Watch): Promise<ReadBlock[]>;
  /** Whether a node serves traces of whole blocks. Asked once at start and again when endpoints change. */
  canTrace(): Promise<boolean>;
  /** Undefined where no contract answers. */
  tokenDecimals(contract: string): Promise<number | undefined>;
  /** What the contract calls itself; undefined where none answers. */
  tokenTexts(contract: string): Promise<TokenTexts | undefined>;
  /** Balances and next nonce of one wallet at one block, by a node that told of this height, if any did. */
  walletState(
    address: string,
    contracts: readonly string[],
    need?: { readonly height: number },
  ): Promise<WalletState>;
  /** The next nonce beyond what any node's pool has; one must tell. Null where transfers end by time. */
  pendingNonce(address: string): Promise<number | null>;
  /** What these hold at exactly this block, in the order asked. A node that lacks it is a NodeError. */
  balancesAt(block: BlockAt, asked: readonly BalanceAsked[]): Promise<bigint[]>;
  /**
   * Which of these a chain remembers although they may hold nothing any more: those that sent something,
   * or, where that is not counted, those that coins ever reached. Told by a node that has this block.
   */
  areUsedAt(block: BlockAt, addresses: readonly string[]): Promise<boolean[]>;
  /** What recent blocks paid for a unit of gas; null where prices are voted on and not bid. */
  paidLately(): Promise<bigint | null>;
  /** What a transaction that uses so much gas, or energy, would cost in the next block. */
  costNow(gas: bigint, price?: PriceOptions): Promise<bigint>;
  /** What coins to an address that was never used cost besides; absent where they cost the same. */
  newAddressFee?(): Promise<bigint>;
  /** Pre-flight: would this transfer go through, and what does it cost at most? */
  prepareTransfer(request: TransferRequest, price?: PriceOptions): Promise<Preflight>;
  /**
   * Empties an address of its native coin, the price paid out of what it holds. The answer's
   * `request.amountRaw` is what will arrive.
   */
  prepareDrain(request: DrainRequest, price?: PriceOptions): Promise<Preflight>;
  signTransfer(prepared: PreparedTransfer, options: SignOptions): Promise<SignedTransfer>;
  /** The same bytes to every endpoint. */
  broadcast(raw: string): Promise<BroadcastResult>;
  outcome(sent: SentTransfer, options: OutcomeOptions): Promise<Outcome>;
  /** What was signed, by its hash. A hash that no node knows is a NodeError. */
  sentBytes(txHash: string): Promise<SentBytes>;
}

export interface Identity {
  readonly chainId: string;
  readonly genesisHash: string;
}

export type { BlockRef, ReadBlock, Spend, Transfer };

export interface TipOptions {
  /** After so many blocks it is asked again what is final, where that takes a question of its own. */
  readonly finalEveryBlocks?: number;
}

export interface Tip {
  readonly height: number;
  readonly hash: string;
  readonly atMs: number;
  /** Null where the chain has no such tag. */
  readonly finalizedHeight: number | null;
  /** How much older than the tip that block is, by their own times. */
  readonly finalizedAgeMs: number | null;
}

export interface HeightRange {
  readonly from: number;
  readonly to: number;
}

export interface BlockAt {
  readonly height: number;
  readonly hash: string;
}

export interface BalanceAsked {
  readonly address: string;
  /** Null for the native coin. */
  readonly contract: string | null;
}

export interface Watch {
  /** Token contracts whose transfers count, in canonical form. */
  readonly contracts: readonly string[];
  /** Ask the node for the frames inside each transaction, so that coins sent by contracts are seen. */
  readonly traces: boolean;
  /** Which of these canonical addresses belong to the gateway on this network. One query a batch. */
  owned(addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface WalletState {
  /** The balances have all that blocks up to this one brought and took. */
  readonly height: number;
  /** The next nonce as mined blocks see it, the pool not counted; the chain's time where they expire. */
  readonly nonce: number;
  readonly nativeRaw: bigint;
  readonly tokensRaw: ReadonlyMap<string, bigint>;
  /** Delegated (EIP-7702) or a contract: nodes take one transaction at a time from it. */
  readonly hasCode: boolean;
}

export interface TransferRequest {
  readonly from: string;
  readonly to: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly amountRaw: bigint;
  /**
   * Allow for what a token takes to write a new holder down: who holds some of it already can send that
   * away before this is mined, and what was reckoned for a holder would not be enough.
   */
  readonly asToNewHolder?: boolean;
}

export interface DrainRequest {
  readonly from: string;
  readonly to: string;
  readonly amountMaxRaw: bigint;
  /** What the address holds and nothing else will take. */
  readonly spendableRaw: bigint;
}

export type Preflight =
  | { readonly kind: "ready"; readonly prepared: PreparedTransfer }
  | Refused;

/** As it is said to whoever asked for a payment. */
export const NEEDS_MORE_GAS = "The recipient needs more gas than is allowed";

/** It would fail on the chain, or cost too much: nothing was signed. */
export interface Refused {
  readonly kind: "refused";
  /** `unaffordable` is about the sender's coins, the last two about the limits that were given. */
  readonly cause: "reverts" | "unaffordable" | "too_expensive" | "above_fee_max";
  readonly reason: string;
  /** Of what is above the limit for all its fees. */
  readonly above?: Charge;
}

export interface PreparedTransfer {
  readonly request: TransferRequest;
  /** The most that leaves the wallet in the native coin: value and fees. */
  readonly nativeCostMaxRaw: bigint;
  /**
   * The same where so many others of this wallet are under way: they use up what a chain gives for
   * nothing before this one is mined. Absent where nothing is.
   */
  nativeCostAfter?(others: number): bigint;
  /** The most that the fees can come to, those for the chain below included. */
  readonly feeMaxRaw: bigint;
  readonly charge: Charge;
  /** Coins for a recipient whose code runs when they come. */
  readonly callsCode?: boolean;
  /** What only this family understands. */
  readonly detail: unknown;
}

export interface SignOptions {
  readonly nonce: number;
  readonly signer: Signer;
}

export interface SignedTransfer {
  readonly raw: string;
  readonly txHash: string;
  readonly nonce: number;
}

/** `rejected` and `unreachable` are certain: these bytes are in no pool. Everything else is not. */
export type BroadcastResult =
  | { readonly kind: "accepted" }
  | { readonly kind: "unknown"; readonly reason: string }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

export interface SentTransfer {
  readonly txHash: string;
  readonly sender: string;
  readonly nonce: number;
}

interface OutcomeOptions {
  readonly depth: number;
  /** The highest block that is known to stay: what is over by time was over there. */
  readonly finalHeight?: number | null;
}

export type Outcome =
  | { readonly kind: "unseen" }
  | {
    readonly kind: "included";
    readonly height: number;
    readonly blockHash: string;
    readonly succeeded: boolean;
  }
  /** No node knows it, and its nonce was used at this height or below, at least `depth` blocks deep. */
  | { readonly kind: "replaced"; readonly height: number }
  /** No node knows it, and at this block, which stays, its time was over. */
  | { readonly kind: "expired"; readonly height: number; readonly blockHash: string };

/** The node could not be asked or did not answer sensibly. Nothing is known; ask again. */
export class NodeError extends Error {
  override name = "NodeError";
}

export type Excess = "size" | "time";

/** The block is known, but what happened inside its transactions is not. */
export class TracesMissing extends NodeError {
  override name = "TracesMissing";
  /** Every node that was asked has said that it no longer has what it would trace by. */
  readonly isForgotten: boolean;
  /** What happened is more than fits into an answer, or takes longer than is waited for one. */
  readonly excess: Excess | undefined;

  constructor(
    message: string,
    options: { cause: unknown; isForgotten: boolean; excess?: Excess | undefined },
  ) {
    super(message, options);
    this.isForgotten = options.isForgotten;
    this.excess = options.excess;
  }
}

/** Whatever this node says must not count. */
export class UnfitNode extends NodeError {
  override name = "UnfitNode";
}

/** The nodes are on another chain: money sent or credited there would be lost. */
export class WrongChain extends UnfitNode {
  override name = "WrongChain";
}
