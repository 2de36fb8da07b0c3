import type { UsualSweeps } from "../costs/rules/usual.ts";
import type { FamilyName } from "../domain/families.ts";
import type { HeadSocket, HeadSocketOptions } from "./head_socket.ts";
import type { FeeModel } from "./price.ts";
import type { ChainRules } from "./rules.ts";

export interface Offer {
  /** The limit of gas. */
  readonly gas: bigint;
  /** The most per unit of gas. */
  readonly priceRaw: bigint;
}

/** What a transaction uses up. */
export interface Claim {
  readonly claim: string;
  /** Only one transaction with it is ever mined. */
  readonly isOnce: boolean;
}

/** How the chains of a family work, as far as it needs no node. */
export interface Family {
  readonly name: FamilyName;
  /** For whoever chooses one. */
  readonly label: string;
  /** How its chains write addresses and keys, one for each way. */
  readonly rules: readonly ChainRules[];
  /** Those of one chain. */
  rulesOn(chainId: string): ChainRules;
  /** Ids of public chains whose coins are worth nothing. */
  readonly testChains: ReadonlySet<string>;
  /** Ids of chains that exist on one machine only. */
  readonly localChains: ReadonlySet<string>;
  /** The unit in which operators state gas prices; one is 10^decimals base units. */
  readonly gasPriceUnit: { readonly name: string; readonly decimals: number };
  /**
   * A price per unit of gas, in base units, that is always allowed: empty blocks show no other, and
   * at 25 times this the most expensive payment must still cost next to nothing.
   */
  readonly undoubtedPriceRaw: bigint;
  /** Whether payers' own fees are small on a network of this kind. */
  isCheapFor(feeModel: FeeModel): boolean;
  /** What a plain payment uses, and a token's, roughly: gas or energy. */
  readonly usualGas: { readonly coins: bigint; readonly tokens: bigint };
  /** What sweeps take, as the documents say. */
  readonly usualSweeps: UsualSweeps;
  /** Default gas limit for code, on top of a plain payment; null: no limit. */
  readonly gasMax: { readonly coins: number | null; readonly tokens: number };
  /** The default for what networks wait for before they credit. */
  readonly finality: "none" | "finalized";
  /**
   * How long signed bytes can be mined, by the chain's time. If set, a transfer's nonce is its
   * expiry in milliseconds, and a sender never uses one twice. Null: bytes can be mined until
   * something else uses what they use.
   */
  readonly transferLifetimeMs: number | null;
  /**
   * A sender's transactions are numbered: each number is mined once, and in order, so that one that
   * is missing blocks all after it.
   */
  readonly hasNonces: boolean;
  /** Another transaction can take the place of a pending one. */
  readonly canReplace: boolean;
  /** What no other live transaction may use. */
  claimOf(spend: { readonly sender: string; readonly nonce: number }): Claim;
  /** Hears of new heads over a socket of a node; null if its nodes push none. */
  readonly openHeadSocket: ((options: HeadSocketOptions) => HeadSocket) | null;
  /** One transaction can empty many deposit addresses, once they delegate to a contract. */
  readonly hasCollectors: boolean;
  /** What signed bytes offer for being mined; null where prices are set by vote rather than bid. */
  offerIn(raw: string): Promise<Offer | null>;
  /** How a chain keeps money: as a number of each address, or in outputs that are spent as a whole. */
  readonly holdings: "balances" | "outputs";
  /** How many blocks are read at once at most. */
  readonly blocksPerStepMax: number;
  /**
   * Whether nodes know balances at any block. Otherwise they are computed backwards from the newest
   * solid block, using the blocks since.
   */
  readonly knowsBalancesAtAnyBlock: boolean;
  /** False: a chain of its kind that isn't known here, so that nothing can be paid on it. */
  knowsChain(chainId: string): boolean;
  /** From how many blocks on nothing is undone, unless an operator says more; null: it isn't counted. */
  finalBlocksOn(chainId: string): number | null;
  /** In how many blocks a payment should be mined unless an operator says it; null: nobody is asked. */
  readonly feeTargetBlocks: number | null;
}
