import { hexOf, quantity } from "../decode.ts";
import type { RpcCall } from "../rpc.ts";

/** What an OP Stack chain charges on top of gas, as its protocol reads it in every block. */
export interface OpStackPrices {
  readonly l1BaseFeeRaw: bigint;
  readonly l1BlobBaseFeeRaw: bigint;
  /** In millionths. */
  readonly baseFeeScalar: bigint;
  /** In millionths. */
  readonly blobBaseFeeScalar: bigint;
  readonly operatorFeeScalar: bigint;
  readonly operatorFeeConstantRaw: bigint;
}

/** The protocol charges by slots of this contract, whatever its code or an oracle says. */
const L1_BLOCK = "0x4200000000000000000000000000000000000015";
/** Base fee, packed scalars, blob base fee, packed operator fee. */
const SLOTS = [1, 3, 7, 8];

export const OP_STACK_CALLS: readonly RpcCall[] = SLOTS.map((slot) => ({
  method: "eth_getStorageAt",
  params: [L1_BLOCK, hexOf(slot), "latest"],
}));

export function readOpStackPrices(answers: readonly unknown[]): OpStackPrices {
  const read = (slot: number) =>
    quantity(answers[SLOTS.indexOf(slot)], `slot ${slot} of the L1Block contract`);
  const scalars = read(3);
  const operator = read(8);
  return {
    l1BaseFeeRaw: read(1),
    l1BlobBaseFeeRaw: read(7),
    baseFeeScalar: BigInt.asUintN(32, scalars >> 96n),
    blobBaseFeeScalar: BigInt.asUintN(32, scalars >> 64n),
    operatorFeeScalar: BigInt.asUintN(32, operator >> 64n),
    operatorFeeConstantRaw: BigInt.asUintN(64, operator),
  };
}

interface Size {
  readonly gas: bigint;
  readonly signedBytes: number;
}

/** L1 prices may double before it is mined: that takes six L1 blocks, as with a base fee. */
export function opStackFeeMax(prices: OpStackPrices, size: Size): bigint {
  return 2n * dataFeeMax(prices, size.signedBytes) + operatorFeeMax(prices, size.gas);
}

const COMPRESSED_BYTES_MIN = 100;
const MILLION = 1_000_000n;

/**
 * Since Fjord the compressed size counts, with a minimum of 100; it is below the plain size that
 * Ecotone counts.
 */
export function dataFeeMax(prices: OpStackPrices, signedBytes: number): bigint {
  const bytes = BigInt(Math.max(signedBytes, COMPRESSED_BYTES_MIN));
  const perMillionBytes = 16n * prices.l1BaseFeeRaw * prices.baseFeeScalar +
    prices.l1BlobBaseFeeRaw * prices.blobBaseFeeScalar;
  return (bytes * perMillionBytes + MILLION - 1n) / MILLION;
}

/** The rule since Jovian. Before it the fee was a hundred-millionth of this, and before Isthmus zero. */
function operatorFeeMax(prices: OpStackPrices, gas: bigint): bigint {
  return gas * prices.operatorFeeScalar * 100n + prices.operatorFeeConstantRaw;
}
