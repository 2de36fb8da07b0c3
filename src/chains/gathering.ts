import type { PriceOptions } from "./price.ts";
import type { PreparedTransfer, TransferRefused } from "./transfer.ts";

/**
 * Where money lies in outputs, one transaction empties many addresses of one owner into one wallet,
 * and its fee comes out of what it moves.
 */
export interface ChainGathering {
  /** In one transaction. */
  readonly outputsMax: number;
  prepare(
    orders: readonly GatherOrder[],
    options: { readonly to: string; readonly price: PriceOptions },
  ): Promise<Gathered>;
}

/** What one address gives: these outputs, and nothing else that it holds. */
export interface GatherOrder {
  readonly from: string;
  readonly outpoints: readonly string[];
}

export type Gathered =
  /** The sender is the address of the first order, and all of them sign. */
  | {
    readonly kind: "ready";
    readonly prepared: PreparedTransfer;
    /** By order. */
    readonly parts: readonly GatheredPart[];
  }
  /** What would arrive is less than nodes pass on. */
  | { readonly kind: "too_little"; readonly parts: readonly GatheredPart[] }
  /** Some outputs are spent, or in no block; whose, by order. */
  | { readonly kind: "missing"; readonly areMissing: readonly boolean[] }
  | TransferRefused;

export interface GatheredPart {
  /** What the address gives. */
  readonly amountRaw: bigint;
  /** What of that goes to the fee. */
  readonly feeRaw: bigint;
}
