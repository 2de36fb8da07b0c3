/** An output that a transaction makes. */
export interface Payment {
  /** In hex. */
  readonly script: string;
  readonly valueRaw: bigint;
}

/** An unspent output of ours: all are P2WPKH. */
export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly valueRaw: bigint;
}

/** The shape of a transaction before it is signed. */
interface Shape {
  readonly inputs: number;
  readonly outputs: readonly Pick<Payment, "script">[];
}

const PLAIN = 4;
const [VERSION_BYTES, LOCK_TIME_BYTES, MARK_BYTES] = [4, 4, 2];
/** What it spends, an empty script and a sequence. */
const INPUT_BYTES = 32 + 4 + 1 + 4;
/** A signature of at most 72 bytes and a key of 33, each with its length, and how many they are. */
const WITNESS_BYTES = 1 + 1 + 72 + 1 + 33;
const VALUE_BYTES = 8;

/**
 * For the price by which miners order. Signatures are sometimes a byte shorter than is counted here,
 * and then it is a quarter of a byte less for each, never more.
 */
export function virtualSize({ inputs, outputs }: Shape): number {
  const lists = countBytes(inputs) + INPUT_BYTES * inputs + countBytes(outputs.length) +
    outputs.reduce((sum, { script }) => sum + outputBytes(script), 0);
  const plain = VERSION_BYTES + lists + LOCK_TIME_BYTES;
  return Math.ceil((PLAIN * plain + MARK_BYTES + WITNESS_BYTES * inputs) / PLAIN);
}

/** Rounded up, like nodes do. `rateRaw` is for 1,000 bytes. */
export function feeAt(rateRaw: bigint, vsize: number): bigint {
  return dividedUp(rateRaw * BigInt(vsize), 1_000n);
}

export function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

export function sumOf(values: readonly { readonly valueRaw: bigint }[]): bigint {
  return values.reduce((sum, { valueRaw }) => sum + valueRaw, 0n);
}

function outputBytes(script: string): number {
  const bytes = script.length / 2;
  return VALUE_BYTES + countBytes(bytes) + bytes;
}

function countBytes(count: number): number {
  return count < 0xfd ? 1 : count <= 0xffff ? 3 : 5;
}
