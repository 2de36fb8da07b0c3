import type { Hex, TransactionSerializable } from "viem";
import { serializeTransaction, size } from "viem/utils";
import { invariant } from "../../../base/assert.ts";
import type { Collector } from "../../collecting.ts";
import { asHex } from "../decode.ts";
import type { Fee } from "./fees.ts";

/** Everything of the transaction but its nonce. */
export interface EvmDetail {
  readonly chainId: number;
  readonly to: string;
  readonly valueRaw: bigint;
  readonly data: string;
  readonly gas: bigint;
  readonly fee: Fee;
}

/** As viem serialises it into a transaction. */
export interface SignedAuthorization {
  readonly chainId: number;
  /** What the signer delegates to (EIP-7702). */
  readonly address: Hex;
  readonly nonce: number;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: number;
}

export interface UnsignedDetail extends Omit<EvmDetail, "to"> {
  /** Null if it creates a contract. */
  readonly to: string | null;
  readonly authorizations?: readonly SignedAuthorization[];
  /**
   * Signed with the transaction, not before: whoever sees an authorization can use it, and the
   * address's nonce with it, so no node is shown one whose transaction isn't saved.
   */
  readonly delegations?: readonly Delegation[];
}

/** What an address has yet to sign: to delegate to the collector, or to nobody. */
export interface Delegation {
  readonly from: string;
  /** Its present one, which this uses up. */
  readonly nonce: number;
  readonly collector: Collector;
  readonly to: "collector" | "nobody";
}

export function unsigned(detail: UnsignedDetail, nonce: number): TransactionSerializable {
  invariant(!detail.delegations?.length, "Authorizations are signed before what carries them");
  invariant(Number.isSafeInteger(nonce) && nonce >= 0, `Not a nonce: ${nonce}`);
  const { chainId, gas, fee, valueRaw: value, authorizations = [] } = detail;
  const to = detail.to === null ? {} : { to: asHex(detail.to) };
  const common = { chainId, nonce, gas, ...to, value, data: asHex(detail.data) };
  if (fee.kind === "legacy") {
    invariant(authorizations.length === 0, "A chain with authorizations has a base fee");
    return { ...common, type: "legacy", gasPrice: fee.gasPriceRaw };
  }
  const priced = { ...common, maxFeePerGas: fee.maxFeeRaw, maxPriorityFeePerGas: fee.tipRaw };
  if (authorizations.length === 0) return { ...priced, type: "eip1559" };
  const isWhole = detail.to !== null && authorizations.every((one) => one.chainId === chainId);
  invariant(isWhole, "Authorizations are for the transaction's chain, and for a call");
  return { ...priced, type: "eip7702", authorizationList: [...authorizations] };
}

const NONCE_MAX = 2 ** 32;
const HALF_SIGNATURE_MAX: Hex = `0x${"ff".repeat(32)}`;
const SOME_ADDRESS: Hex = `0x${"ff".repeat(20)}`;

/** An upper limit for every nonce and signature. */
export function signedBytesMax(detail: UnsignedDetail): number {
  const half = { r: HALF_SIGNATURE_MAX, s: HALF_SIGNATURE_MAX, yParity: 1 };
  const { delegations = [], ...rest } = detail;
  const toSign = delegations.map(({ collector: { chainId }, nonce }) => ({
    ...{ chainId, nonce, address: SOME_ADDRESS },
    ...half,
  }));
  const authorizations = [...rest.authorizations ?? [], ...toSign];
  const whole = unsigned({ ...rest, authorizations }, NONCE_MAX);
  return size(serializeTransaction(whole, { ...half, v: 28n }));
}
