import { at } from "../../base/lists.ts";
import { usuallyTaken, type UsualSweeps } from "./usual.ts";
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
  /** It moves the network's own coin. */
  readonly isCoin: boolean;
  /** Its address was never swept before or, if it is shared, delegates with it. */
  readonly isFirst: boolean;
  /** Its address had been lent energy for it. */
  readonly isLent: boolean;
  readonly deposits: number;
  /** How much of its transaction it is, compared with the others. */
  readonly size: number;
}

export interface Cost {
  /** Empty: for no sweep of one currency. */
  readonly currency: string;
  readonly way: Way;
  readonly sweeps: number;
  readonly firstSweeps: number;
  readonly deposits: number;
  readonly feeRaw: bigint;
  /** What all this usually takes, failed ones included; 0 where prices are voted on. */
  readonly gas: number;
}

/** Each fee by size for what it paid for, so that all parts together are what was paid. */
export function costsOf(paid: readonly PaidFor[], usual: UsualSweeps): Cost[] {
  const transactions = Map.groupBy(paid, ({ signedId }) => signedId);
  return addedUp([...transactions.values()].flatMap((parts) => {
    const shares = sharesOf(parts);
    return parts.flatMap((part, i) =>
      costOf(part, { feeRaw: at(shares, i), gas: gasOf(part, { usual, parts }) }) ?? []
    );
  }));
}

/** The first ones bear what can't be divided. */
function sharesOf(parts: readonly PaidFor[]): readonly bigint[] {
  const all = BigInt(parts.reduce((sum, { size }) => sum + size, 0));
  const shares = parts.map(({ feeRaw, size }) => feeRaw * BigInt(size) / all);
  const left = at(parts, 0).feeRaw - shares.reduce((sum, share) => sum + share, 0n);
  return shares.map((share, i) => share + (BigInt(i) < left ? 1n : 0n));
}

/** Undefined: gas for a hot wallet, which sweeps nothing. */
function costOf(part: PaidFor, own: Pick<Cost, "feeRaw" | "gas">): Cost | undefined {
  const { purpose, currency, isFirst, isShared, isLent, deposits } = part;
  if (purpose === "gas_topup" && currency === null) return undefined;
  const isDone = purpose === "sweep" && part.isSuccessful;
  return {
    currency: currency ?? "",
    way: isShared && purpose === "sweep" ? "batch" : isLoan(part) || isLent ? "lent" : "single",
    sweeps: isDone ? 1 : 0,
    firstSweeps: isDone && isFirst ? 1 : 0,
    deposits: isDone ? deposits : 0,
    ...own,
  };
}

/** Rounded, as all of it is. */
function gasOf(
  { purpose, isShared, isCoin, isFirst }: PaidFor,
  { usual, parts }: { usual: UsualSweeps; parts: readonly PaidFor[] },
): number {
  if (usual.unit === "coins" || purpose === null) return 0;
  if (purpose !== "sweep") return usual.gasSent;
  const way = isShared ? "batch" : "single";
  const [firstSweeps, transactions] = [isFirst ? 1 : 0, 1 / parts.length];
  return Math.round(usuallyTaken(usual, { way, isCoin, sweeps: 1, firstSweeps, transactions }));
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
      gas: sum.gas + cost.gas,
    })));
}
