import type { FeedRound } from "../rates/rules/feed_round.ts";
import type { BlockRef } from "../following/rules/reorganisation.ts";
import type { ChainEnergy } from "./energy.ts";
import type { PushedHead } from "./head_socket.ts";
import type { ChainCollector } from "./collecting.ts";
import type { Collected, CollectOrder, FuelSource } from "./collect.ts";
import type { ChainGathering } from "./gathering.ts";
import type { Held, HeldAsked, WalletState } from "./held.ts";
import type { NodeError } from "./faults.ts";
import type { EndpointHealth } from "./health.ts";
import type { PriceOptions } from "./price.ts";
import type { ReadBlock, Spend, Transfer } from "./read_block.ts";
import type { SentBytes } from "./sent_bytes.ts";
import type { SeenTransaction } from "./seen_transaction.ts";
import type { LoggedMove } from "./token_moves.ts";
import type { TokenTexts } from "./token_text.ts";
import type {
  BroadcastResult,
  DrainRequest,
  Outcome,
  OutcomeOptions,
  Preflight,
  PreparedTransfer,
  SentTransfer,
  SignedTransfer,
  SignOptions,
  TransferRequest,
} from "./transfer.ts";

/** A network's nodes. Heights are block numbers, amounts are base units. */
export interface Chain extends ChainReader, ChainPayer {}

export interface ChainReader {
  /** In the operator's order. */
  health(): readonly EndpointHealth[];
  /** Asks every endpoint and fails if they disagree. */
  identity(): Promise<Identity>;
  tip(options?: TipOptions): Promise<Tip>;
  /** How long no new block is expected; null if unknown. */
  quietForMs(): number | null;
  /** In how long a block is expected that isn't there yet; null if unknown. */
  lookInMs?(): number | null;
  /** Of what `tip` saw last. Absent if no node pushes heads. */
  seenHeads?(): SeenHeads;
  /** Undefined if the node has no block at that height (yet). */
  refAt(height: number): Promise<BlockRef | undefined>;
  /** How many endpoints have exactly this block. */
  witnesses(block: { height: number; hash: string }): Promise<number>;
  /**
   * The hashes of those that will stay in the chain as they were read. A failure counts only if no
   * endpoint contradicts it, of an order too. Successes are asked for again only where blocks aren't read by a hash
   * that commits to them: what is final decides about the others.
   */
  finalView(seen: readonly SeenTransaction[]): Promise<ReadonlySet<string>>;
  /** A node pushed this head: asks what will be asked about it. Nothing of it is believed. */
  expectBlock?(pushed: PushedHead, watch: Pick<Watch, "contracts" | "traces">): void;
  /** Each block linked to its parent and checked against itself. */
  readBlocks(range: HeightRange, watch: Watch): Promise<ReadBlock[]>;
  /**
   * What transactions in no block pay us, as any of the nodes knows them: all that there are, each
   * time. Absent where transactions aren't seen before their block.
   */
  pending?(watch: Pick<Watch, "owned">): Promise<readonly Transfer[]>;
  /**
   * What became of these outputs up to this block, which must be the newest one, in the order asked.
   * Absent where addresses have balances.
   */
  fates?(block: BlockAt, outpoints: readonly string[]): Promise<readonly OutputFate[]>;
  /** Whether a node serves traces of whole blocks. Asked at start and whenever endpoints change. */
  canTrace(): Promise<boolean>;
  /** Whether the newest blocks' logs show what contracts pay, so that no traces are needed. */
  areCoinsLogged?(): boolean;
  /** Undefined if there is no contract. */
  tokenDecimals(contract: string): Promise<number | undefined>;
  /** The contract's own name and symbol; undefined if there is no contract. */
  tokenTexts(contract: string): Promise<TokenTexts | undefined>;
  /** Balances and next nonce at one block, read from a node known to have reached `need.height`. */
  walletState(
    address: string,
    contracts: readonly string[],
    need?: WalletNeed,
  ): Promise<WalletState>;
  /** Balances of many addresses at one block. One that can't be read is an error of its own. */
  held(asked: readonly HeldAsked[]): Promise<readonly (Held | NodeError)[]>;
  /** The next nonce above every node's pool; fails if no node answers. Null where transfers expire. */
  pendingNonce(address: string): Promise<number | null>;
  /** What all endpoints say at once, in the order asked. Absent where transactions expire. */
  nextNonces?(addresses: readonly string[]): Promise<NextNonce[]>;
  /** At exactly this block, in the order asked. Throws a NodeError if the node lacks the block. */
  balancesAt(block: BlockAt, asked: readonly BalanceAsked[]): Promise<bigint[]>;
  /**
   * Whether the balances around this block bear out what tokens logged in it; null where a token
   * tells none. A "no" counts only if no endpoint contradicts it. Absent where one transaction can't
   * move what several addresses hold.
   */
  areBorneOut?(block: BlockAt, moves: readonly LoggedMove[]): Promise<readonly (boolean | null)[]>;
  /**
   * What lies at addresses that the books may not know: a node looks through all that is unspent,
   * which takes minutes. Absent where addresses have balances.
   */
  scan?(addresses: readonly string[]): Promise<bigint[]>;
  /** What an operator should know of the node. Absent where there is nothing. */
  about?(): Promise<AboutNode>;
  /** Whether each ever sent something; where the chain doesn't count that, ever received coins. */
  areUsedAt(block: BlockAt, addresses: readonly string[]): Promise<boolean[]>;
  /** For each Chainlink feed, the latest round as each node reports it. Absent if there are none. */
  feedRounds?(feeds: readonly string[]): Promise<readonly (readonly (FeedRound | null)[])[]>;
}

export interface ChainPayer {
  /** What recent blocks paid per unit of gas; null where prices are set by vote rather than bid. */
  paidLately(): Promise<bigint | null>;
  /** What a transaction using this much gas (or energy) would cost in the next block. */
  costNow(gas: bigint, price?: PriceOptions): Promise<bigint>;
  /** The extra cost of paying coins to an unused address; absent if there is none. */
  newAddressFee?(): Promise<bigint>;
  /** Checks that the transfer would succeed, and what it costs at most. */
  prepareTransfer(request: TransferRequest, price?: PriceOptions): Promise<Preflight>;
  /** The same payments for a higher price, whatever they are. Absent where the request says enough. */
  prepareAgain?(again: SignedBefore, price?: PriceOptions): Promise<Preflight>;
  /** Absent where each address has to send by itself. */
  readonly gathering?: ChainGathering;
  /**
   * Puts the orders of a wallet into as few transactions as it can, and gives each what it spends, so
   * that no two spend the same. Absent where wallets have balances.
   */
  allot?(prepared: readonly PreparedTransfer[]): Promise<readonly Allotted[]>;
  /** Empties an address of its native coin. `request.amountRaw` of the answer is what will arrive. */
  prepareDrain(request: DrainRequest, price?: PriceOptions): Promise<Preflight>;
  /** Absent where one transaction can't move what several addresses hold. */
  readonly collector?: ChainCollector;
  /** The cheapest way to move these, and its next step for each. One in trouble delays no other. */
  collect(
    orders: readonly CollectOrder[],
    options: { readonly fuel?: FuelSource | undefined },
  ): Promise<readonly Collected[]>;
  signTransfer(prepared: PreparedTransfer, options: SignOptions): Promise<SignedTransfer>;
  /** Sends the same bytes to every endpoint. */
  broadcast(raw: string): Promise<BroadcastResult>;
  outcome(sent: SentTransfer, options: OutcomeOptions): Promise<Outcome>;
  /** A signed transaction by its hash, in this block. Throws a NodeError if no node knows it. */
  sentBytes(txHash: string, block?: BlockAt): Promise<SentBytes>;
  /** Absent where calls of contracts take nothing that could be staked for and lent. */
  readonly energy?: ChainEnergy;
}

export interface SignedBefore {
  readonly from: string;
  readonly raw: string;
  /** It gathered, so that a higher fee leaves less to arrive. */
  readonly isGathered?: boolean;
  /** An operator wants it, whatever it leaves to arrive. */
  readonly isAnyway?: boolean;
  /** Of its payments, those that it makes no longer. */
  readonly without?: readonly Pick<TransferRequest, "to" | "amountRaw">[];
  /** Of what it spends, what can never exist any more: something else was mined for good. */
  readonly lost?: readonly string[];
  /** What exists instead: who spends some of it can't be mined beside who spends what is lost. */
  readonly instead?: readonly string[];
  /** What was mined instead can't be undone any more. Otherwise some of it has to be spent. */
  readonly isFinal?: boolean;
}

/** One transaction, if it can be made, for the orders at these places of the list. */
export interface Allotted {
  readonly orders: readonly number[];
  readonly preflight: Preflight;
}

export interface Identity {
  readonly chainId: string;
  readonly genesisHash: string;
}

export type { BlockRef, ReadBlock, Spend, Transfer, WalletState };

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

export interface SeenHeads {
  readonly tip: Tip | null;
  /** After how long a block is expected; null if unknown. */
  readonly blockMs: number | null;
}

export interface HeightRange {
  readonly from: number;
  readonly to: number;
}

export interface NextNonce {
  readonly lowest: number;
  readonly highest: number;
  /** A majority of them, and at least the quorum, have got so far. */
  readonly byMost: number;
  /** All that answer say the same, and none has just fallen silent. */
  readonly isAgreed: boolean;
}

/** For people. */
export interface AboutNode {
  readonly facts: readonly string[];
  /** Why it can't be relied on yet. */
  readonly warnings: readonly string[];
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
  /** One block is deep enough, so that tokens are looked at in the same round. */
  readonly isCreditedAtOnce?: boolean;
  /** Which of these canonical addresses are the gateway's on this network. One query per batch. */
  owned(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which of these outputs somebody waits to see spent. Only asked where money lies in outputs. */
  watched?(outpoints: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * Unspent in a block; of a transaction that waits in some node's mempool; or neither: something in a
 * block has spent it, unless what makes it was forgotten everywhere.
 */
export type OutputFate = "unspent" | "waiting" | "gone";

export interface WalletNeed {
  readonly height?: number;
  /** What was read with the wallet's last trial will do if that was just now, or a block seen lately. */
  readonly isForSigning?: boolean;
}
