import { hexToBytes } from "viem/utils";
import { asHex } from "../decode.ts";

/** EIP-7825: no transaction may have more. */
export const GAS_MAX = 16_777_216n;

export function gasAtMost({ blockGasLimit }: { readonly blockGasLimit: bigint }): bigint {
  return blockGasLimit < GAS_MAX ? blockGasLimit : GAS_MAX;
}

const TRANSACTION = 21_000;
const CREATION = 32_000;
const ZERO_BYTE = 4;
const OTHER_BYTE = 16;
/** EIP-7702. */
const AUTHORIZATION = 25_000;
/** EIP-3860, for each 32 bytes. */
const INIT_CODE = 2;
/** EIP-7623, for a quarter of what a byte counts. */
const FLOOR = 10;

export interface Bare {
  /** Null if it creates a contract. */
  readonly to: string | null;
  readonly data: string;
  readonly authorizations: number;
  /** What running it takes at the very least. */
  readonly running: bigint;
}

/**
 * An estimate, but no less than what is known: with less than the protocol charges before anything
 * runs, no node would ever take the transaction, and its place would stay blocked.
 */
export function believed(estimated: bigint, bare: Bare): bigint {
  const { before, floor } = chargedBefore(bare);
  return [before + bare.running, floor].reduce((a, b) => a > b ? a : b, estimated);
}

function chargedBefore({ to, data, authorizations }: Bare): { before: bigint; floor: bigint } {
  const bytes = hexToBytes(asHex(data));
  const zeros = bytes.filter((byte) => byte === 0).length;
  const counted = ZERO_BYTE * zeros + OTHER_BYTE * (bytes.length - zeros);
  const created = to === null ? CREATION + INIT_CODE * Math.ceil(bytes.length / 32) : 0;
  const before = TRANSACTION + counted + created + AUTHORIZATION * authorizations;
  return { before: BigInt(before), floor: BigInt(TRANSACTION + FLOOR * counted / ZERO_BYTE) };
}
