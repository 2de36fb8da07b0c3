import { hexOf, quantity } from "../decode.ts";
import type { RpcCall } from "../rpc.ts";

/** What an OP Stack chain charges besides the gas, as its own protocol reads it in every block. */
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

/** Nodes charge by these very slots of the predeployed contract, whatever its code or an oracle says. */
const L1_BLOCK = "0x4200000000000000000000000000000000000015";
/** Base fee, packed scalars, blob base fee, packed operator fee. */
const SLOTS = [1, 3, 7, 8];

export const OP_STACK_CALLS: readonly RpcCall[] = SLOTS.map((slot) => ({
  method: "eth_getStorageAt",
  params: [L1_BLOCK, hexOf(slot), "latest"],
}));

/** The answers to `OP_STACK_CALLS`. */
export function readOpStackPrices(answers: readonly unknown[]): OpStackPrices {
  const [l1BaseFeeRaw, scalars, l1BlobBaseFeeRaw, operator] = SLOTS.map((slot, index) =>
    quantity(answers[index], `slot ${slot} of the L1Block contract`)
  );
  return {
    l1BaseFeeRaw: l1BaseFeeRaw!,
    l1BlobBaseFeeRaw: l1BlobBaseFeeRaw!,
    baseFeeScalar: BigInt.asUintN(32, scalars! >> 96n),
    blobBaseFeeScalar: BigInt.asUintN(32, scalars! >> 64n),
    operatorFeeScalar: BigInt.asUintN(32, operator! >> 64n),
    operatorFeeConstantRaw: BigInt.asUintN(64, operator!),
  };
}

interface Size {
  readonly gas: bigint;
  readonly signedBytes: number;
}

/** Prices of the chain below may double until it is mined: six of its blocks, as with a base fee. */
export function opStackFeeMax(prices: OpStackPrices, size: Size): bigint {
  return 2n * dataFeeMax(prices, size.signedBytes) + operatorFeeMax(prices, size.gas);
}

const COMPRESSED_BYTES_MIN = 100;
const MILLION = 1_000_000n;

/** Since Fjord a compressed size counts, at least 100; it is below the plain one, as Ecotone counts. */
export function dataFeeMax(prices: OpStackPrices, signedBytes: number): bigint {
  const bytes = BigInt(Math.max(signedBytes, COMPRESSED_BYTES_MIN));
  const perMillionBytes = 16n * prices.l1BaseFeeRaw * prices.baseFeeScalar +
    prices.l1BlobBaseFeeRaw * prices.blobBaseFeeScalar;
  return (bytes * perMillionBytes + MILLION - 1n) / MILLION;
}

/** As since Jovian. Before it was a hundred-millionth of it, and before Isthmus there was none. */
function operatorFeeMax(prices: OpStackPrices, gas: bigint): bigint {
  return gas * prices.operatorFeeScalar * 100n + prices.operatorFeeConstantRaw;
}
