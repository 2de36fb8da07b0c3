import { addedUp, type Cost } from "./hour.ts";
import { usuallyTaken, type UsualSweeps } from "./usual.ts";
import type { Way } from "./ways.ts";

/** What the sweeps of a currency would have cost, all of them the way that fewer of them went. */
export interface OtherMode {
  readonly way: Way;
  readonly feeRaw: bigint;
  /** By what sweeps that went that way cost in the same month; otherwise by what is documented. */
  readonly basis: "measured" | "documented";
}

/** Fewer show nothing. */
const MEASURED_MIN = 5;

/**
 * Of the costs of each hour, because those of an hour could have shared a transaction. Undefined:
 * nothing was swept, or there is no other way.
 */
export function otherMode(
  costs: readonly Cost[],
  { usual, isNative }: { readonly usual: UsualSweeps; readonly isNative: boolean },
): OtherMode | undefined {
  const found = (way: Way) => addedUp(costs.filter((cost) => cost.way === way))[0] ?? nothing(way);
  const [single, shared] = [found("single"), found(usual.alternative)];
  const [own, other] = single.sweeps >= shared.sweeps ? [single, shared] : [shared, single];
  if (isNative && usual.coins === null || own.sweeps === 0) return undefined;
  const { way } = other;
  if (other.sweeps >= MEASURED_MIN) {
    const all = BigInt(own.sweeps + other.sweeps);
    return { way, feeRaw: other.feeRaw * all / BigInt(other.sweeps), basis: "measured" };
  }
  const { sweeps, firstSweeps } = own;
  const transactions = costs.filter((cost) => cost.way === own.way && cost.sweeps > 0).length;
  const swept = { way, isCoin: isNative, sweeps, firstSweeps, transactions };
  const sent = way === "single" && !isNative ? sweeps * usual.gasSent : 0;
  const asOther = BigInt(sent + usuallyTaken(usual, swept));
  if (usual.unit === "coins") {
    return { way, feeRaw: other.feeRaw + asOther, basis: "documented" };
  }
  // Added up before their gas was noted: this will be done again.
  if (own.gas === 0) return undefined;
  // At the price that was paid: their fee by their gas.
  const feeRaw = own.feeRaw * asOther / BigInt(own.gas);
  return { way, feeRaw: other.feeRaw + feeRaw, basis: "documented" };
}

function nothing(way: Way): Cost {
  return { currency: "", way, sweeps: 0, firstSweeps: 0, deposits: 0, feeRaw: 0n, gas: 0 };
}
