import { energyOf, type EnergyRate, type Loan, type Quota, stakeFor } from "./energy.ts";

/** What a sweep takes of energy, and what its address has. */
export interface EnergyNeed {
  readonly address: string;
  /**
   * The most that its call may use, as its fee limit says: a call that runs out of energy fails, and
   * an address that was lent its energy has no coins to burn instead.
   */
  readonly energy: bigint;
  /** As it will be once what is already signed for the address was mined. */
  readonly quota: Quota;
}

/** Where a loan isn't possible, coins are burned. */
export type EnergyPlan =
  | { readonly kind: "enough" }
  | { readonly kind: "lend"; readonly amountRaw: bigint }
  | { readonly kind: "burn" };

/** A loan gives less and less while others stake more, and has to be enough until it is used. */
const LENT_MORE = 200n;

/**
 * For sweeps in their order: what one of them is lent, the next ones aren't, and two of one address
 * share what it has.
 */
export function planLoans(
  needs: readonly EnergyNeed[],
  { lendableRaw, rate }: { readonly lendableRaw: bigint; readonly rate: EnergyRate },
): EnergyPlan[] {
  const quotas = new Map<string, Quota>();
  let leftRaw = lendableRaw;
  return needs.map(({ address, energy, quota: before }) => {
    const quota = quotas.get(address) ?? before;
    const plan = planLoan({ energy, quota }, { lendableRaw: leftRaw, rate });
    const lentRaw = plan.kind === "lend" ? plan.amountRaw : 0n;
    leftRaw -= lentRaw;
    const limit = quota.limit + energyOf(lentRaw, rate);
    quotas.set(address, { limit, used: usedAfter({ limit, used: quota.used }, energy) });
    return plan;
  });
}

/** All that is missing or nothing: coins for the rest would have to be sent there as well. */
function planLoan(
  { energy, quota: { limit, used } }: Omit<EnergyNeed, "address">,
  { lendableRaw, rate }: { readonly lendableRaw: bigint; readonly rate: EnergyRate },
): EnergyPlan {
  // More may be used than there is, and a loan fills that gap first.
  const missing = energy - (limit - used);
  if (missing <= 0n) return { kind: "enough" };
  const amountRaw = stakeFor(missing + energy / LENT_MORE, rate);
  return amountRaw === null || amountRaw > lendableRaw
    ? { kind: "burn" }
    : { kind: "lend", amountRaw };
}

/**
 * What to take back: all that the chain says is lent to a deposit address for which no sweep is in
 * progress. What is lent to anybody else is the operator's own affair, hot wallets included.
 */
export function loansToTakeBack(
  loans: readonly Loan[],
  { depositAddresses, inProgress }: {
    readonly depositAddresses: ReadonlySet<string>;
    /** With a sweep, or a loan for one, that is neither final nor dead. */
    readonly inProgress: ReadonlySet<string>;
  },
): Loan[] {
  return loans.filter(({ to, amountRaw }) =>
    amountRaw > 0n && depositAddresses.has(to) && !inProgress.has(to)
  );
}

/** A call that burns coins takes what there is first. */
function usedAfter({ limit, used }: Quota, energy: bigint): bigint {
  if (used >= limit) return used;
  return used + energy < limit ? used + energy : limit;
}
