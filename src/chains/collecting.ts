import type { PriceOptions } from "./price.ts";
import type { Preflight, PreparedTransfer, TransferRefused } from "./transfer.ts";

/** The contract that collects for a gas wallet: it follows from who deployed it with which nonce. */
export interface Collector {
  readonly chainId: number;
  /** The gas wallet. */
  readonly owner: string;
  readonly nonce: number;
}

/** Moves all of one coin, or a part of it, from an address of ours. */
export interface CoinMove {
  readonly from: string;
  readonly to: string;
  /** Null for the native coin. */
  readonly contract: string | null;
  /** Of coins what is left of it after the fee, if the address pays that. */
  readonly amountRaw: bigint;
}

/** An address that is to delegate to the collector. Its key signs that together with the batch. */
export interface Delegating {
  readonly from: string;
  /** Its present one, which the authorization uses up; the batch claims it. */
  readonly nonce: number;
}

export type Delegated =
  /** The address runs no code. */
  | "nothing"
  | "collector"
  /** An earlier one of ours. */
  | "older"
  /** Somebody else's code, which its key has signed for elsewhere, or a contract. */
  | "other";

export interface BatchOrder extends CoinMove {
  /** What running its token, or its recipient, may take: beyond that it is left out. */
  readonly gasMax?: bigint | null;
}

export interface BatchRequest {
  readonly collector: Collector;
  /** No address twice with the same coin. */
  readonly orders: readonly BatchOrder[];
  /** Of the addresses that don't delegate to it yet. */
  readonly delegating: readonly Delegating[];
}

export type PreparedBatch =
  | {
    readonly kind: "ready";
    readonly prepared: PreparedTransfer;
    /** What it carries out, in this order. */
    readonly orders: readonly CoinMove[];
    /** Would fail, and is better tried alone. */
    readonly failing: readonly CoinMove[];
    /** There is no room for them in this one. */
    readonly later: readonly CoinMove[];
  }
  | TransferRefused;

/** What runs at an address. */
export type CodeAt =
  | { readonly kind: "none" }
  | { readonly kind: "delegated"; readonly to: string }
  | { readonly kind: "contract"; readonly hash: string };

/** The contract that a wallet would deploy. */
export interface CollectorWith {
  /** The hash of what deploys it: another build is another contract. */
  readonly build: string;
  withNonce(nonce: number): { readonly address: string; readonly codeHash: string };
}

export interface ReleaseRequest {
  readonly collector: Collector;
  readonly address: string;
  /** The address's present one, which the authorization uses up. */
  readonly nonce: number;
}

/** Transactions of the gas wallet that pay nothing, and what is known without any. */
export interface CollectorUpkeep {
  deployedBy(owner: string): Promise<CollectorWith>;
  /** In the order asked. */
  codeAt(addresses: readonly string[]): Promise<CodeAt[]>;
  /** Whether addresses can delegate on this chain. Nothing is sent. */
  knowsDelegations(from: string): Promise<boolean>;
  prepareDeployment(owner: string, price?: PriceOptions): Promise<Preflight>;
  /** The address runs no code any more. */
  prepareRelease(request: ReleaseRequest, price?: PriceOptions): Promise<Preflight>;
  /** What these bytes do, at another price. */
  prepareAgain(
    order: { readonly from: string; readonly raw: string },
    price?: PriceOptions,
  ): Promise<Preflight>;
}

export interface DelegatesAsked {
  readonly collector: Collector;
  readonly older: readonly Collector[];
  readonly addresses: readonly string[];
}

/** Many addresses emptied by one transaction of the gas wallet. */
export interface ChainCollector extends CollectorUpkeep {
  delegatesOf(asked: DelegatesAsked): Promise<Delegated[]>;
  prepareBatch(request: BatchRequest, price?: PriceOptions): Promise<PreparedBatch>;
}
