import type { Cost } from "./hour.ts";
import type { Way } from "./ways.ts";

/** What a sweep usually takes, the first one of its address and later ones. */
interface Usual {
  readonly first: bigint;
  readonly again: bigint;
}

/** Of a family of chains, by how sweeps go. */
export interface UsualSweeps {
  /** Besides "single". */
  readonly alternative: Exclude<Way, "single">;
  /** Coins, in base units, where prices are voted on and seldom change. */
  readonly unit: "gas" | "coins";
  readonly tokens: Readonly<Partial<Record<Way, Usual>>>;
  /** Null: they can only be swept one by one. */
  readonly coins: Readonly<Partial<Record<Way, Usual>>> | null;
}

/** What the sweeps of a currency would have cost, all of them the way that fewer of them went. */
export interface OtherMode {
  readonly way: Way;
  readonly feeRaw: bigint;
  /** By what sweeps that went that way cost in the same month; otherwise by what is documented. */
  readonly basis: "measured" | "documented";
}

/** Fewer show nothing. */
const MEASURED_MIN = 5;

/** Undefined: nothing was swept, or there is no other way. */
export function otherMode(
  costs: readonly Cost[],
  { usual, isNative }: { readonly usual: UsualSweeps; readonly isNative: boolean },
): OtherMode | undefined {
  const figures = isNative ? usual.coins : usual.tokens;
  const found = (way: Way) => costs.find((cost) => cost.way === way) ?? nothing(way);
  const [single, shared] = [found("single"), found(usual.alternative)];
  const [own, other] = single.sweeps >= shared.sweeps ? [single, shared] : [shared, single];
  if (figures === null || own.sweeps === 0) return undefined;
  const { way } = other;
  if (other.sweeps >= MEASURED_MIN) {
    const all = BigInt(own.sweeps + other.sweeps);
    return { way, feeRaw: other.feeRaw * all / BigInt(other.sweeps), basis: "measured" };
  }
  const asOther = taken(own, figures[way]);
  // The price of gas cancels out.
  const isGas = usual.unit === "gas";
  const feeRaw = isGas ? own.feeRaw * asOther / taken(own, figures[own.way]) : asOther;
  return { way, feeRaw: other.feeRaw + feeRaw, basis: "documented" };
}

function taken({ sweeps, firstSweeps }: Cost, { first, again }: Usual = ONE): bigint {
  return BigInt(firstSweeps) * first + BigInt(sweeps - firstSweeps) * again;
}

const ONE: Usual = { first: 1n, again: 1n };

function nothing(way: Way): Cost {
  return { currency: "", way, sweeps: 0, firstSweeps: 0, deposits: 0, feeRaw: 0n };
}
