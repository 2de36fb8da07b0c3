import type { Hex, TransactionSerializable } from "viem";
import { serializeTransaction, size } from "viem/utils";
import { invariant } from "../../../base/assert.ts";
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

export function unsigned(detail: EvmDetail, nonce: number): TransactionSerializable {
  invariant(Number.isSafeInteger(nonce) && nonce >= 0, `Not a nonce: ${nonce}`);
  const { chainId, gas, fee, valueRaw: value } = detail;
  const common = { chainId, nonce, gas, to: asHex(detail.to), value, data: asHex(detail.data) };
  if (fee.kind === "legacy") return { ...common, type: "legacy", gasPrice: fee.gasPriceRaw };
  return {
    ...common,
    type: "eip1559",
    maxFeePerGas: fee.maxFeeRaw,
    maxPriorityFeePerGas: fee.tipRaw,
  };
}

const NONCE_MAX = 2 ** 32;
const HALF_SIGNATURE_MAX: Hex = `0x${"ff".repeat(32)}`;

/** An upper limit for every nonce and signature. */
export function signedBytesMax(detail: EvmDetail): number {
  const signature = { r: HALF_SIGNATURE_MAX, s: HALF_SIGNATURE_MAX, v: 28n, yParity: 1 };
  return size(serializeTransaction(unsigned(detail, NONCE_MAX), signature));
}
