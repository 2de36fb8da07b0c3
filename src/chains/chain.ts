import type { BlockRef } from "../domain/states/chain_follow.ts";
import type { EndpointHealth } from "./health.ts";
import type { Charge, PriceOptions } from "./price.ts";
import type { ReadBlock, Spend, Transfer } from "./read_block.ts";
import type { SentBytes } from "./sent_bytes.ts";
import type { SeenTransaction } from "./seen_transaction.ts";
import type { TokenTexts } from "./token_text.ts";
import type { Signer } from "../domain/signer.ts";

/** A network's nodes. Heights are block numbers, amounts are base units. */
export interface Chain {
  /** In the operator's order. */
  health(): readonly EndpointHealth[];
  /** Asks every endpoint and fails if they disagree. */
  identity(): Promise<Identity>;
  tip(options?: TipOptions): Promise<Tip>;
  /** How long no new block is expected; null if unknown. */
  quietForMs(): number | null;
  /** Undefined if the node has no block at that height (yet). */
  refAt(height: number): Promise<BlockRef | undefined>;
  /** How many endpoints have exactly this block. */
  witnesses(block: { height: number; hash: string }): Promise<number>;
  /**
   * The hashes of those that will stay in the chain as they were read. A failure counts only if no
   * endpoint contradicts it.
   */
  finalView(seen: readonly SeenTransaction[]): Promise<ReadonlySet<string>>;
  /** Each block linked to its parent and checked against itself. */
  readBlocks(range: HeightRange, watch: Watch): Promise<ReadBlock[]>;
  /** Whether a node serves traces of whole blocks. Asked at start and whenever endpoints change. */
  canTrace(): Promise<boolean>;
  /** Undefined if there is no contract. */
  tokenDecimals(contract: string): Promise<number | undefined>;
  /** The contract's own name and symbol; undefined if there is no contract. */
  tokenTexts(contract: string): Promise<TokenTexts | undefined>;
  /** Balances and next nonce at one block, read from a node known to have reached `need.height`. */
  walletState(
    address: string,
    contracts: readonly string[],
    need?: { readonly height: number },
  ): Promise<WalletState>;
  /** The next nonce above every node's pool; fails if no node answers. Null where transfers expire. */
  pendingNonce(address: string): Promise<number | null>;
  /** At exactly this block, in the order asked. Throws a NodeError if the node lacks the block. */
  balancesAt(block: BlockAt, asked: readonly BalanceAsked[]): Promise<bigint[]>;
  /** Those that ever sent something or, where the chain doesn't count that, ever received coins. */
  areUsedAt(block: BlockAt, addresses: readonly string[]): Promise<boolean[]>;
  /** What recent blocks paid per unit of gas; null where prices are set by vote rather than bid. */
  paidLately(): Promise<bigint | null>;
  /** What a transaction using this much gas (or energy) would cost in the next block. */
  costNow(gas: bigint, price?: PriceOptions): Promise<bigint>;
  /** The extra cost of paying coins to an unused address; absent if there is none. */
  newAddressFee?(): Promise<bigint>;
  /** Checks that the transfer would succeed, and what it costs at most. */
  prepareTransfer(request: TransferRequest, price?: PriceOptions): Promise<Preflight>;
  /** Empties an address of its native coin. `request.amountRaw` of the answer is what will arrive. */
  prepareDrain(request: DrainRequest, price?: PriceOptions): Promise<Preflight>;
  signTransfer(prepared: PreparedTransfer, options: SignOptions): Promise<SignedTransfer>;
  /** Sends the same bytes to every endpoint. */
  broadcast(raw: string): Promise<BroadcastResult>;
  outcome(sent: SentTransfer, options: OutcomeOptions): Promise<Outcome>;
  /** A signed transaction by its hash. Throws a NodeError if no node knows it. */
  sentBytes(txHash: string): Promise<SentBytes>;
}

export interface Identity {
  readonly chainId: string;
  readonly genesisHash: string;
}

export type { BlockRef, ReadBlock, Spend, Transfer };

export interface TipOptions {
  /** How often to ask what is final, in blocks, where that is a separate question. */
  readonly finalEveryBlocks?: number;
}

export interface Tip {
  readonly height: number;
  readonly hash: string;
  readonly atMs: number;
  /** Null if the chain has no such tag. */
  readonly finalizedHeight: number | null;
  /** How much older than the tip the final block is, by block times. */
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
  /** Ask the node for the calls inside each transaction, to see coins sent by contracts. */
  readonly traces: boolean;
  /** Which of these canonical addresses are the gateway's on this network. One query per batch. */
  owned(addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface WalletState {
  /** The balances include every block up to this one. */
  readonly height: number;
  /** The next nonce by mined blocks only, without the pool. Where transfers expire, the chain's time. */
  readonly nonce: number;
  readonly nativeRaw: bigint;
  readonly tokensRaw: ReadonlyMap<string, bigint>;
  /** A contract, or delegated (EIP-7702): nodes accept one pending transaction at a time from it. */
  readonly hasCode: boolean;
}

export interface TransferRequest {
  readonly from: string;
  readonly to: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly amountRaw: bigint;
  /**
   * Budget gas for a recipient who holds none of the token yet: one who holds some now can send it
   * away before this is mined, and then the gas for an existing holder would not be enough.
   */
  readonly asToNewHolder?: boolean;
}

export interface DrainRequest {
  readonly from: string;
  readonly to: string;
  readonly amountMaxRaw: bigint;
  /** What the address holds and nothing else needs. */
  readonly spendableRaw: bigint;
}

export type Preflight =
  | { readonly kind: "ready"; readonly prepared: PreparedTransfer }
  | Refused;

/** Shown to whoever asked for the payment. */
export const NEEDS_MORE_GAS = "The recipient needs more gas than is allowed";

/** It would fail on the chain or cost too much. Nothing was signed. */
export interface Refused {
  readonly kind: "refused";
  /** `unaffordable` is about the sender's coins, the last two about configured limits. */
  readonly cause: "reverts" | "unaffordable" | "too_expensive" | "above_fee_max";
  readonly reason: string;
  /** The charge that exceeds the limit for all fees. */
  readonly above?: Charge;
}

export interface PreparedTransfer {
  readonly request: TransferRequest;
  /** The most native coin that leaves the wallet: value and fees. */
  readonly nativeCostMaxRaw: bigint;
  /**
   * The same cost when this many of the wallet's other transfers are mined first and use up the
   * chain's free allowance. Absent if the chain has none.
   */
  nativeCostAfter?(others: number): bigint;
  /** The maximum of all fees, including those of an L2's base chain. */
  readonly feeMaxRaw: bigint;
  readonly charge: Charge;
  /** The recipient has code that runs when coins arrive. */
  readonly callsCode?: boolean;
  /** Only this family understands it. */
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

/** `rejected` and `unreachable` are certain: these bytes are in no pool. Every other answer is not. */
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
  /** The highest final block. An expiry is certain only if it passed at that block. */
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
  /** No node knows it, and its expiry had passed at this final block. */
  | { readonly kind: "expired"; readonly height: number; readonly blockHash: string };

/** The node could not be asked or gave no sensible answer. Nothing is known; ask again. */
export class NodeError extends Error {
  override name = "NodeError";
}

export type Excess = "size" | "time";

/** The block is known, but not what happened inside its transactions. */
export class TracesMissing extends NodeError {
  override name = "TracesMissing";
  /** Every node asked said that it no longer has the state to trace this block. */
  readonly isForgotten: boolean;
  /** The trace is too large for an answer or takes too long. */
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

/** Nothing this node says may count. */
export class UnfitNode extends NodeError {
  override name = "UnfitNode";
}

/** The nodes are on another chain: money sent or credited there would be lost. */
export class WrongChain extends UnfitNode {
  override name = "WrongChain";
}
