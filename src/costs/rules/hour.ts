import type { Way } from "./ways.ts";

/** A payment of a transaction, or a transaction without any. */
export interface PaidFor {
  readonly signedId: number;
  /** Of the whole transaction. */
  readonly feeRaw: bigint;
  readonly purpose: "withdrawal" | "sweep" | "gas_topup" | "void" | null;
  /** Of the sweep that it was for. */
  readonly currency: string | null;
  readonly isSuccessful: boolean;
  /** The sender isn't the address that was swept. */
  readonly isShared: boolean;
  /** Its address was never swept before. */
  readonly isFirst: boolean;
  /** Its address had been lent energy for it. */
  readonly isLent: boolean;
  readonly deposits: number;
}

export interface Cost {
  /** Empty: for no sweep of one currency. */
  readonly currency: string;
  readonly way: Way;
  readonly sweeps: number;
  readonly firstSweeps: number;
  readonly deposits: number;
  readonly feeRaw: bigint;
}

/** Each fee in equal parts for what it paid for, so that all parts together are what was paid. */
export function costsOf(paid: readonly PaidFor[]): Cost[] {
  const transactions = Map.groupBy(paid, ({ signedId }) => signedId);
  return addedUp([...transactions.values()].flatMap((parts) => {
    const count = BigInt(parts.length);
    return parts.flatMap((part, i) => {
      const { feeRaw } = part;
      const ownRaw = feeRaw / count + (BigInt(i) < feeRaw % count ? 1n : 0n);
      return costOf(part, ownRaw) ?? [];
    });
  }));
}

/** Undefined: gas for a hot wallet, which sweeps nothing. */
function costOf(part: PaidFor, feeRaw: bigint): Cost | undefined {
  const { purpose, currency, isFirst, isShared, isLent, deposits } = part;
  if (purpose === "gas_topup" && currency === null) return undefined;
  const isDone = purpose === "sweep" && part.isSuccessful;
  return {
    currency: currency ?? "",
    way: isShared && purpose === "sweep" ? "batch" : isLoan(part) || isLent ? "lent" : "single",
    sweeps: isDone ? 1 : 0,
    firstSweeps: isDone && isFirst ? 1 : 0,
    deposits: isDone ? deposits : 0,
    feeRaw,
  };
}

function isLoan({ purpose, currency }: PaidFor): boolean {
  return purpose === null && currency !== null;
}

/** By currency and way. */
export function addedUp(costs: readonly Cost[]): Cost[] {
  const groups = Map.groupBy(costs, ({ currency, way }) => `${way} ${currency}`);
  return Array.from(groups.values(), (group) =>
    group.reduce((sum, cost) => ({
      ...sum,
      sweeps: sum.sweeps + cost.sweeps,
      firstSweeps: sum.firstSweeps + cost.firstSweeps,
      deposits: sum.deposits + cost.deposits,
      feeRaw: sum.feeRaw + cost.feeRaw,
    })));
}
