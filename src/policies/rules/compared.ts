import { Amount } from "../../domain/money/amount.ts";

/** What somebody compares a payment with before they approve it. */
export interface Compared {
  readonly count: number;
  /** Null if there were too few to say what is usual. */
  readonly median: string | null;
  /** Null if there were none. */
  readonly largest: string | null;
}

/** Of fewer, a median says more about chance than about what is usual. */
const MEDIAN_OF_MIN = 10;

/** With an even number, the lower of the two in the middle: an amount that was really paid. */
export function compared(amounts: readonly string[]): Compared {
  const sorted = amounts.map((text) => ({ text, amount: Amount.parse(text, "") }))
    .toSorted((a, b) => a.amount.isLessThan(b.amount) ? -1 : b.amount.isLessThan(a.amount) ? 1 : 0);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return {
    count: sorted.length,
    median: sorted.length < MEDIAN_OF_MIN ? null : middle?.text ?? null,
    largest: sorted.at(-1)?.text ?? null,
  };
}
