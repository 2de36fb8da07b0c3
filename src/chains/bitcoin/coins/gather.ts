import { invariant } from "../../../base/assert.ts";
import { INPUTS_MAX } from "./choose.ts";
import { type Coin, feeAt, sumOf, virtualSize } from "./size.ts";

/** What one address gives, in all its outputs that are moved. */
export interface Source<C extends Coin = Coin> {
  readonly coins: readonly C[];
}

interface Gathered<C extends Coin = Coin> {
  readonly inputs: readonly C[];
  /** What arrives. */
  readonly valueRaw: bigint;
  readonly feeRaw: bigint;
  readonly vsize: number;
  /** Of the fee, what each source bears, in their order. */
  readonly sharesRaw: readonly bigint[];
}

/** All of it into one output. Nodes don't pass it on if too little arrives, or less than nothing. */
export function gatherCoins<C extends Coin>(
  sources: readonly Source<C>[],
  { script, rateRaw }: { readonly script: string; readonly rateRaw: bigint },
): Gathered<C> {
  const inputs = sources.flatMap(({ coins }) => coins);
  invariant(inputs.length <= INPUTS_MAX, `${inputs.length} outputs are too many for one sweep`);
  const vsize = virtualSize({ inputs: inputs.length, outputs: [{ script }] });
  const feeRaw = feeAt(rateRaw, vsize);
  const valueRaw = sumOf(inputs) - feeRaw;
  return { inputs, valueRaw, feeRaw, vsize, sharesRaw: shareFee(feeRaw, sources) };
}

/** By size: each input takes the same. They add up to the fee. */
export function shareFee(feeRaw: bigint, sources: readonly Source[]): bigint[] {
  const total = BigInt(sources.reduce((sum, { coins }) => sum + coins.length, 0));
  let upTo = 0n;
  return sources.map(({ coins }) => {
    const before = feeRaw * upTo / total;
    upTo += BigInt(coins.length);
    return feeRaw * upTo / total - before;
  });
}
