import {
  type Change,
  INPUTS_MAX,
  largestFirst,
  type Planned,
  planOf,
  priceAt,
  type WalletCoin,
} from "./choose.ts";
import { type Coin, dividedUp, feeAt, type Payment, sumOf, virtualSize } from "./size.ts";

/** A transaction in mempools, and what is thrown out with it. */
export interface Replaced {
  readonly feeRaw: bigint;
  readonly vsize: number;
  /** Of all that spend its outputs, and theirs. */
  readonly descendantFeesRaw: bigint;
}

interface Replacement<C extends WalletCoin> {
  readonly replaced: Replaced;
  /** All of them stay, so that only one of the two can ever be mined. */
  readonly inputs: readonly C[];
  /** Perhaps fewer than before. */
  readonly payments: readonly Payment[];
  readonly change: Change;
  /** Of the same wallet, for more than the change can pay. A replacement brings no unconfirmed ones. */
  readonly others: readonly C[];
  /** For 1,000 bytes: what is wanted, and by how much nodes want more (`incrementalFeeRaw`). */
  readonly rateRaw: bigint;
  readonly incrementRaw: bigint;
  /** Those in no block that it comes from: for this rate they are mined together. */
  readonly ancestors?: { readonly feeRaw: bigint; readonly vsize: number };
}

/** The same inputs for a higher fee (BIP-125). Its change is one output. */
export function planReplacement<C extends WalletCoin>(wanted: Replacement<C>): Planned<C> {
  const { inputs, payments, change, others } = wanted;
  const price = { feeFor: (vsize: number) => replacementFee(wanted, vsize) };
  const known = new Set(inputs.map(outpointOf));
  const more = others.filter((coin) => coin.isConfirmed && !known.has(outpointOf(coin)))
    .toSorted(largestFirst);
  const [all, least] = [[...inputs], payments.length === 0 ? change.dustRaw : 0n];
  for (let next = 0;; next++) {
    // Without payments, what goes back is its only output.
    const outputs = payments.length === 0 ? [change] : payments;
    const vsize = virtualSize({ inputs: all.length, outputs });
    const missingRaw = sumOf(payments) + least + priceAt(price, vsize) - sumOf(all);
    if (missingRaw <= 0n) return planOf(all, { payments, change, parts: 1, ...price });
    const coin = more[next];
    if (!coin) return { kind: "short", missingRaw };
    if (all.length === INPUTS_MAX) return { kind: "too_large" };
    all.push(coin);
  }
}

/**
 * The least that nodes take for it: as much as everything that it throws out, the price of passing
 * itself on, and for its size more than what it replaces.
 */
export function replacementFee(
  { replaced, rateRaw, incrementRaw, ancestors = { feeRaw: 0n, vsize: 0 } }: Pick<
    Replacement<WalletCoin>,
    "replaced" | "rateRaw" | "incrementRaw" | "ancestors"
  >,
  vsize: number,
): bigint {
  const { feeRaw, vsize: oldVsize, descendantFeesRaw } = replaced;
  const oldRateRaw = dividedUp(feeRaw * 1_000n, BigInt(oldVsize));
  const fees = [
    feeAt(rateRaw, vsize),
    feeAt(rateRaw, vsize + ancestors.vsize) - ancestors.feeRaw,
    feeRaw + descendantFeesRaw + feeAt(incrementRaw, vsize),
    feeAt(oldRateRaw + 1n, vsize),
  ];
  return fees.reduce((one, other) => one > other ? one : other);
}

function outpointOf({ txid, vout }: Coin): string {
  return `${txid}:${vout}`;
}
