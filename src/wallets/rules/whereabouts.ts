import type { Amount } from "../../domain/money/amount.ts";

/** Counted from what happened to an account's coins in one asset. */
interface Known {
  readonly balance: Amount;
  readonly held: Amount;
  /** Of what is held: charged later by the operator's terms, which moves no coins. */
  readonly heldFees: Amount;
  /** Of what is held: coins that have left the hot wallet, in a block that isn't final yet. */
  readonly gone: Amount;
  /** In the hot wallet. Undefined: no node answers. */
  readonly hot: Amount | undefined;
  /** Of it, what may pay the account's next payouts. */
  readonly free: Amount | undefined;
  /** Of it, what stays there to pay network fees. */
  readonly gasWanted: Amount;
  readonly onDeposits: Amount;
  readonly sweeping: Amount;
  /** To the account's own wallet. */
  readonly swept: Amount;
  readonly sweptToHot: Amount;
  /** Deposits that were swept, with the fees that they paid; of the native coin only. */
  readonly emptied: Amount;
  /** From the gas wallet, to deposit addresses and to the hot wallet. */
  readonly gas: { readonly deposits: Amount; readonly hot: Amount };
  /** Of the network, paid by deposit addresses and by the hot wallet. */
  readonly fees: { readonly deposits: Amount; readonly hot: Amount };
  /** By hand. */
  readonly booked: Amount;
  /** For payouts that are over, by the operator's terms. */
  readonly charged: Amount;
}

/** Where an account's money in one asset is; with `unexplained`, all parts add up to its balance. */
export interface Whereabouts {
  /** In the hot wallet and not reserved. Undefined: no node answers. */
  readonly payable: Amount | undefined;
  /** Reserved by open withdrawals. */
  readonly held: Amount;
  readonly onDeposits: Amount;
  readonly sweeping: Amount;
  readonly swept: Amount;
  /** On addresses and in the hot wallet. */
  readonly keptForGas: Amount;
  readonly fees: Amount;
  /** By hand, and without coins: nothing that came to the hot wallet accounts for it. */
  readonly booked: Amount;
  /** In the hot wallet, and more than the account is owed. */
  readonly beyond: Amount;
  /** These two are negative: no deposits of the account, or taken from them without a move. */
  readonly toppedUp: Amount;
  readonly charged: Amount;
  /** Negative: coins came by other ways, as to the hot wallet, and weren't booked. Undefined: no node answers. */
  readonly unexplained: Amount | undefined;
}

export function whereaboutsOf(known: Known): Whereabouts {
  const { balance, held, hot, free, gasWanted, onDeposits, sweeping, swept, sweptToHot } = known;
  const { heldFees, gone, emptied, gas, fees, booked, charged } = known;
  const none = balance.minus(balance);
  const available = positive(balance.minus(held));
  const payable = free && least(free, available);
  const toLeave = held.minus(heldFees).minus(gone);
  const rest = hot && payable ? positive(hot.minus(payable).minus(toLeave)) : none;
  const keptInHot = least(rest, positive(gasWanted));
  const left = emptied.plus(gas.deposits).minus(swept).minus(sweptToHot).minus(fees.deposits);
  const isNative = !emptied.isZero() || !gas.deposits.isZero();
  const parts = {
    held,
    onDeposits,
    sweeping,
    swept,
    keptForGas: keptInHot.plus(isNative ? positive(left) : none),
    fees: fees.deposits.plus(fees.hot),
    booked,
    beyond: rest.minus(keptInHot),
    toppedUp: gas.deposits.plus(gas.hot).negated(),
    charged: charged.plus(heldFees).negated(),
  };
  const counted = Object.values(parts).reduce((sum, part) => sum.plus(part), none);
  if (!payable) return { ...parts, payable, unexplained: undefined };
  const unexplained = balance.minus(payable).minus(counted);
  // Coins that were sent to the hot wallet, and booked by hand for that, need no two lines.
  const float = least(positive(booked), positive(unexplained.negated()));
  const uncovered = booked.minus(float);
  return { ...parts, booked: uncovered, payable, unexplained: unexplained.plus(float) };
}

function least(one: Amount, other: Amount): Amount {
  return one.isLessThan(other) ? one : other;
}

function positive(amount: Amount): Amount {
  return amount.isNegative() ? amount.minus(amount) : amount;
}
