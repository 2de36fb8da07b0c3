import { Amount, assetOf } from "../money/amount.ts";

interface Coins {
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
}

/** How much of each coin, by network and currency. */
export function coinsOf(payments: readonly Coins[]): Record<string, string> {
  const sums = new Map<string, Amount>();
  for (const payment of payments) {
    const name = assetOf(payment);
    const before = sums.get(name) ?? Amount.zero(name);
    sums.set(name, before.plus(Amount.parse(payment.amount, name)));
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, sum.toString()]));
}

/** Whether everything that was accepted is still credited. */
export function isStillThere(
  accepted: Readonly<Record<string, string>>,
  credited: readonly Coins[],
): boolean {
  const now = coinsOf(credited);
  return Object.entries(accepted).every(([name, amount]) =>
    !Amount.parse(now[name] ?? "0", name).isLessThan(Amount.parse(amount, name))
  );
}
