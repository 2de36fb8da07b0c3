import { Amount, assetOf } from "../../domain/money/amount.ts";

/** How much of each coin, by network and currency. */
export type Coins = Readonly<Record<string, string>>;

interface Coin {
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
}

export function coinsOf(payments: readonly Coin[]): Coins {
  const byCoin = Map.groupBy(payments, assetOf);
  return Object.fromEntries([...byCoin].map(([name, some]) => {
    const sum = Amount.sumOf(some.map(({ amount }) => amount), name);
    return [name, sum.toString()];
  }));
}

/** Whether everything that was accepted is still credited. */
export function isStillThere(accepted: Coins, credited: Coins): boolean {
  return Object.entries(accepted).every(([name, amount]) =>
    !Amount.parse(credited[name] ?? "0", name).isLessThan(Amount.parse(amount, name))
  );
}
