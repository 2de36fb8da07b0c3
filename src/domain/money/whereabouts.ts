import type { Amount } from "./amount.ts";

/** Where an account's money in one asset is; without `excess`, the parts add up to its balance. */
export interface Whereabouts {
  /** In the hot wallet and not reserved. Undefined: no node answers. */
  readonly payable: Amount | undefined;
  readonly onDeposits: Amount;
  readonly sweeping: Amount;
  /** Reserved by open withdrawals. */
  readonly held: Amount;
  /** Neither of these: it was swept to the account's own wallet. */
  readonly elsewhere: Amount | undefined;
  /** What is there beyond the balance: fees that were charged, or coins to pay with. */
  readonly excess: Amount;
}

interface Known {
  readonly balance: Amount;
  readonly held: Amount;
  /** What the hot wallet can pay; undefined: unknown. */
  readonly hot: Amount | undefined;
  readonly onDeposits: Amount;
  readonly sweeping: Amount;
}

export function whereaboutsOf({ balance, held, hot, onDeposits, sweeping }: Known): Whereabouts {
  const available = balance.minus(held);
  const payable = hot && (hot.isLessThan(available) ? hot : available);
  const known = onDeposits.plus(sweeping);
  const rest = payable && available.minus(payable).minus(known);
  const none = balance.minus(balance);
  const [elsewhere, excess] = rest?.isNegative() ? [none, none.minus(rest)] : [rest, none];
  return { payable, onDeposits, sweeping, held, elsewhere, excess };
}
