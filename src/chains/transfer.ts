import type { Claim } from "./family.ts";
import type { MadeOutput } from "./outputs.ts";
import type { Charge } from "./price.ts";
import type { Signer } from "../transfers/rules/signer.ts";

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

export type Preflight<Detail = unknown> =
  | { readonly kind: "ready"; readonly prepared: PreparedTransfer<Detail> }
  | TransferRefused;

/** Shown to whoever asked for the payment. */
export const NEEDS_MORE_GAS = "The recipient needs more gas than is allowed";

/** It would fail on the chain or cost too much. Nothing was signed. */
export interface TransferRefused {
  readonly kind: "refused";
  /**
   * `unaffordable` is about the sender's coins, of which `waiting` says that they will do soon; the
   * last two are about configured limits.
   */
  readonly cause: "reverts" | "unaffordable" | "waiting" | "too_expensive" | "above_fee_max";
  readonly reason: string;
  /** The charge that exceeds the limit for all fees. */
  readonly above?: Charge;
}

export interface PreparedTransfer<Detail = unknown> {
  readonly request: TransferRequest;
  /** The most native coin that leaves the wallet: value and fees. */
  readonly nativeCostMaxRaw: bigint;
  /**
   * The same cost when this many of the wallet's other transfers are mined first and use up the
   * chain's free allowance. Absent if the chain has none.
   */
  nativeCostAfter?(others: number): bigint;
  /** The maximum of all fees, including those of an L2's base chain. */
  readonly feeAtMostRaw: bigint;
  readonly charge: Charge;
  /** The recipient has code that runs when coins arrive. */
  readonly callsCode?: boolean;
  /** What it uses up besides its sender's place: nonces of addresses that authorised something. */
  readonly claims?: readonly Claim[];
  /** Only this family understands it. */
  readonly detail: Detail;
}

export interface SignOptions {
  readonly nonce: number;
  readonly signer: Signer;
  /** By address: of those whose authorizations it carries. */
  readonly authorizers?: ReadonlyMap<string, Signer>;
}

export interface SignedTransfer {
  readonly raw: string;
  readonly txHash: string;
  readonly nonce: number;
  /** What these bytes use up besides; another choice would have done as well. */
  readonly claims?: readonly Claim[];
  /** Of its outputs, those that come back to us. */
  readonly change?: readonly MadeOutput[];
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

export interface OutcomeOptions {
  readonly depth: number;
  /** That one node hasn't got to a nonce doesn't hide that most have. */
  readonly asksAll?: boolean;
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
