import { invariant, InvariantError } from "../../../base/assert.ts";
import { type Coin, feeAt, type Payment, sumOf, virtualSize } from "./size.ts";

/** What is signed: its outputs are the payments, in their order, and then what goes back. */
export interface Plan<C extends Coin = Coin> {
  readonly kind: "planned";
  readonly inputs: readonly C[];
  readonly payments: readonly Payment[];
  readonly change: readonly Payment[];
  readonly feeRaw: bigint;
  readonly vsize: number;
}

/** With all the coins that there are. */
interface Short {
  readonly kind: "short";
  readonly missingRaw: bigint;
}

/** They would do, but it would be more than nodes pass on for certain. */
interface TooLarge {
  readonly kind: "too_large";
}

export type Planned<C extends Coin = Coin> = Plan<C> | Short | TooLarge;

export interface WalletCoin extends Coin {
  /** Others are our own change. */
  readonly isConfirmed: boolean;
}

/** Where what is left of the inputs goes, and into how many outputs. */
export interface Change {
  readonly script: string;
  readonly dustRaw: bigint;
  /** So many coins a wallet should have, so that payments don't wait for each other. */
  readonly coinsWanted: number;
  /** Where more than one output goes back, each has at least this. */
  readonly partMinRaw: bigint;
}

interface Wanted<C extends WalletCoin> {
  readonly coins: readonly C[];
  readonly payments: readonly Payment[];
  readonly change: Change;
  /** For 1,000 bytes. */
  readonly rateRaw: bigint;
}

/** A quarter of what nodes pass on, and half a second of signing. */
export const INPUTS_MAX = 350;
/** Half of what nodes pass on. */
const VSIZE_MAX = 50_000;
const CHANGE_MAX = 4;

/**
 * The smallest coin that suffices alone, so that large ones stay whole for others; otherwise few
 * large ones. Unconfirmed ones are touched only if the others don't do.
 */
export function chooseCoins<C extends WalletCoin>(wanted: Wanted<C>): Planned<C> {
  const { payments, rateRaw } = wanted;
  invariant(payments.length > 0, "Coins are chosen for payments");
  invariant(payments.every(({ valueRaw }) => valueRaw > 0n), "A payment pays something");
  // One that costs more than it brings makes everything worse.
  const useful = wanted.coins.filter(({ valueRaw }) => valueRaw > inputFee(rateRaw));
  const confirmed = useful.filter(({ isConfirmed }) => isConfirmed);
  const inputs = enoughOf(confirmed, wanted) ?? enoughOf(useful, wanted);
  if (!inputs) return { kind: "short", missingRaw: missing(useful, wanted) };
  if (inputs.length > INPUTS_MAX) return { kind: "too_large" };
  const { coinsWanted, partMinRaw } = wanted.change;
  // Whatever is smaller pays for nothing, and anybody can send it.
  const worthy = (coins: readonly Coin[]) =>
    coins.filter(({ valueRaw }) => valueRaw >= partMinRaw).length;
  const left = worthy(wanted.coins) - worthy(inputs);
  const plan = planOf(inputs, { ...wanted, parts: coinsWanted - left });
  return plan.vsize > VSIZE_MAX ? { kind: "too_large" } : plan;
}

/** What the inputs hold beyond payments and fee goes back, or to the fee if it would be dust. */
export function planOf<C extends Coin>(
  inputs: readonly C[],
  { payments, change, parts, ...price }: {
    readonly payments: readonly Payment[];
    readonly change: Change;
    /** As many outputs should go back. */
    readonly parts: number;
  } & Price,
): Plan<C> {
  const restRaw = sumOf(inputs) - sumOf(payments);
  const feeFor = (size: number) => feeOf(price, { inputs: inputs.length, payments, change, size });
  for (let size = Math.max(1, Math.min(parts, CHANGE_MAX)); size >= 0; size--) {
    const { feeRaw, vsize } = feeFor(size);
    const backRaw = restRaw - feeRaw;
    const leastRaw = size > 1 ? max(change.partMinRaw, change.dustRaw) : change.dustRaw;
    if (size > 0 && backRaw < BigInt(size) * leastRaw) continue;
    invariant(backRaw >= 0n, "Inputs pay for payments and fee");
    return {
      kind: "planned",
      inputs,
      payments,
      change: split(backRaw, { into: size, script: change.script }),
      feeRaw: size === 0 ? restRaw : feeRaw,
      vsize,
    };
  }
  throw new InvariantError("No change at all is the last that is tried");
}

/** A rate for 1,000 bytes, or a fee that depends on the size in another way. */
type Price = { readonly rateRaw: bigint } | { readonly feeFor: (vsize: number) => bigint };

export function priceAt(price: Price, vsize: number): bigint {
  return "rateRaw" in price ? feeAt(price.rateRaw, vsize) : price.feeFor(vsize);
}

function feeOf(
  price: Price,
  { inputs, payments, change, size }: {
    readonly inputs: number;
    readonly payments: readonly Payment[];
    readonly change: Change;
    readonly size: number;
  },
): { readonly feeRaw: bigint; readonly vsize: number } {
  const back = Array.from({ length: size }, () => ({ script: change.script }));
  const vsize = virtualSize({ inputs, outputs: [...payments, ...back] });
  return { feeRaw: priceAt(price, vsize), vsize };
}

function enoughOf<C extends Coin>(
  coins: readonly C[],
  wanted: Pick<Wanted<WalletCoin>, "payments" | "rateRaw">,
): readonly C[] | undefined {
  const sorted = coins.toSorted(largestFirst);
  const alone = sorted.findLast((coin) => missing([coin], wanted) <= 0n);
  if (alone) return [alone];
  let [low, high] = [1, sorted.length];
  if (missing(sorted, wanted) > 0n) return undefined;
  // More coins always bring more than they cost, so that the fewest can be searched for.
  while (low < high) {
    const middle = (low + high) >> 1;
    if (missing(sorted.slice(0, middle), wanted) <= 0n) high = middle;
    else low = middle + 1;
  }
  return sorted.slice(0, low);
}

/** Nothing, or less, if they suffice without change. */
function missing(
  coins: readonly Coin[],
  { payments, rateRaw }: Pick<Wanted<WalletCoin>, "payments" | "rateRaw">,
): bigint {
  const vsize = virtualSize({ inputs: coins.length, outputs: payments });
  return sumOf(payments) + feeAt(rateRaw, vsize) - sumOf(coins);
}

/** Of one more, rounded up. */
function inputFee(rateRaw: bigint): bigint {
  const sizes = [1, 2].map((inputs) => virtualSize({ inputs, outputs: [] }));
  return feeAt(rateRaw, sizes[1]! - sizes[0]! + 1);
}

export function largestFirst(one: Coin, other: Coin): number {
  if (one.valueRaw !== other.valueRaw) return one.valueRaw > other.valueRaw ? -1 : 1;
  return one.txid < other.txid || (one.txid === other.txid && one.vout < other.vout) ? -1 : 1;
}

/** Alike; the first has what can't be divided. */
function split(
  valueRaw: bigint,
  { into, script }: { readonly into: number; readonly script: string },
): Payment[] {
  if (into === 0) return [];
  const part = valueRaw / BigInt(into);
  const firstRaw = valueRaw - part * BigInt(into - 1);
  return Array.from({ length: into }, (_, i) => ({ script, valueRaw: i === 0 ? firstRaw : part }));
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
