import { Amount } from "../money/amount.ts";

/** What somebody compares a payment with before they approve it. */
export interface Compared {
  readonly count: number;
  /** Null if there were none. */
  readonly median: string | null;
  readonly largest: string | null;
}

/** With an even number, the lower of the two in the middle: an amount that was really paid. */
export function compared(amounts: readonly string[]): Compared {
  const sorted = amounts.map((text) => ({ text, amount: Amount.parse(text, "") }))
    .toSorted((a, b) => a.amount.isLessThan(b.amount) ? -1 : b.amount.isLessThan(a.amount) ? 1 : 0);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return {
    count: sorted.length,
    median: middle?.text ?? null,
    largest: sorted.at(-1)?.text ?? null,
  };
}
