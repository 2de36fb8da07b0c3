/** What an account has staked for energy. Amounts are base units of the coin. */
export interface Stake {
  /** All of it, with what is lent. */
  readonly stakedRaw: bigint;
  readonly lentRaw: bigint;
  /** What could be lent now: energy that was used in the last day can't. */
  readonly lendableRaw: bigint;
  readonly rate: EnergyRate;
  readonly energy: Quota;
  readonly bandwidth: { readonly free: Quota; readonly staked: Quota };
  /** Unstaked, and not collected yet. */
  readonly unstaking: readonly { readonly amountRaw: bigint; readonly collectableAtMs: number }[];
}

/** What comes back within a day; more may be used than there is, after a loan was taken back. */
export interface Quota {
  readonly limit: bigint;
  readonly used: bigint;
}

/** The energy of a day that all stakes share, and their sum. */
export interface EnergyRate {
  readonly energy: bigint;
  readonly stakedRaw: bigint;
}

export interface Loan {
  readonly to: string;
  /** What can be taken back now. */
  readonly amountRaw: bigint;
}

/** One coin: the least that can be staked or lent, and what loans are rounded up to. */
export const STAKE_MIN_RAW = 1_000_000n;

/** What a stake gives in a day. */
export function energyOf(stakeRaw: bigint, { energy, stakedRaw }: EnergyRate): bigint {
  return stakedRaw === 0n ? 0n : stakeRaw * energy / stakedRaw;
}

/** The stake that gives at least so much, in whole coins; null where no stake gives any. */
export function stakeFor(energy: bigint, rate: EnergyRate): bigint | null {
  if (rate.energy === 0n || rate.stakedRaw === 0n) return null;
  // Nodes count in doubles, so exactly enough may be one too few.
  const stakeRaw = energy * rate.stakedRaw / rate.energy + 1n;
  return (stakeRaw + STAKE_MIN_RAW - 1n) / STAKE_MIN_RAW * STAKE_MIN_RAW;
}
