import { Amount } from "../../domain/money/amount.ts";

export const DIGITS = { min: 2, max: 18 };
/** Fewer digits never cost the payer more than this. */
const ADDED_PERCENT_MAX = "1";

/** A coin the payer may choose. */
export interface Method {
  readonly network: string;
  readonly currency: string;
  readonly decimals: number;
  /** Amounts to pay have no more decimals than this if they can; null: as many as the coin. */
  readonly digits?: number | null;
  /** The price of one coin in the invoice's currency, locked when it was created. */
  readonly rate: string;
  readonly rateAtMs: number;
  /** Whoever made the invoice chose it: the payer's page opens with it. */
  readonly isChosen?: true;
}

interface Priced {
  readonly invoiceCurrency: string;
  readonly method: Method;
}

/**
 * What a payer sends of this coin, so that it always suffices. Fewer decimals are easier to type: as
 * few as asked for, unless they add much to the amount.
 */
export function coinsFor(value: string, { invoiceCurrency, method }: Priced): string {
  const { network, currency, decimals: all, digits, rate } = method;
  const owed = Amount.parse(value, invoiceCurrency);
  const coins = (decimals: number) =>
    owed.pricedAt(rate, { asset: `${network}/${currency}`, decimals });
  const exact = coins(all);
  const most = exact.plus(exact.percentage(ADDED_PERCENT_MAX));
  for (let decimals = digits ?? all; decimals < all; decimals++) {
    const rounded = coins(decimals);
    if (!most.isLessThan(rounded)) return rounded.toString();
  }
  return exact.toString();
}

/** An excess below this doesn't count as overpaid, because amounts due are rounded up. */
export function slackOf(amount: string, { invoiceCurrency, method }: Priced): Amount {
  const { currency, decimals, digits, rate } = method;
  const worth = (coins: string) => Amount.parse(coins, currency).convertedBy(rate, invoiceCurrency);
  const unit = worth(smallestUnit(decimals));
  if (digits === null || digits === undefined) return unit;
  const asked = worth(coinsFor(amount, { invoiceCurrency, method }));
  return unit.plus(asked.minus(Amount.parse(amount, invoiceCurrency)));
}

export function smallestUnit(decimals: number): string {
  return decimals === 0 ? "1" : `0.${"0".repeat(decimals - 1)}1`;
}
