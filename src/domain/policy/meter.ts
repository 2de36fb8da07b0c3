import { Amount } from "../money/amount.ts";
import type { Total } from "./rules.ts";

/** Everything a meter ever counted, and what was taken out again, since it began. */
interface MeterState {
  readonly added: string;
  readonly addedCount: number;
  readonly removed: string;
  readonly removedCount: number;
}

/** A meter at the edge of a window: what it had counted before it, and had taken out behind it. */
export interface Edge {
  /** Counted at or before the edge, as the meter adds up. */
  readonly before: Total;
  /** Of what was counted after the edge, what had been taken out when this was read. */
  readonly removedAfter: Total;
  /** All that had been taken out then. */
  readonly removed: Total;
}

/** What counts in the window: payments after the edge, without those taken out. */
export function totalAfter(now: MeterState, { before, removedAfter, removed }: Edge): Total {
  const sinceRead = amount(now.removed).minus(amount(removed.amount));
  const total = amount(now.added).minus(amount(before.amount))
    .minus(amount(removedAfter.amount)).minus(sinceRead);
  return {
    amount: total.toString(),
    count: now.addedCount - before.count - removedAfter.count -
      (now.removedCount - removed.count),
  };
}

export function sumOf(totals: readonly Total[]): Total {
  const sum = totals.reduce((sum, one) => sum.plus(amount(one.amount)), Amount.zero(""));
  return { amount: sum.toString(), count: totals.reduce((sum, one) => sum + one.count, 0) };
}

/** Lengths of time by which taken out payments are added up, so that any window is few sums. */
const SPANS = [86_400_000, 3_600_000, 60_000, 1] as const;

/** The spans of a moment, one of each length. */
export function spansOf(atMs: number): { spanMs: number; startsAtMs: number }[] {
  return SPANS.map((spanMs) => ({ spanMs, startsAtMs: atMs - atMs % spanMs }));
}

/** Spans that together are exactly everything after the edge: of each length, starts in a range. */
export function spansAfter(edgeMs: number): { spanMs: number; fromMs: number; untilMs: number }[] {
  let untilMs = Number.MAX_SAFE_INTEGER;
  return SPANS.map((spanMs) => {
    const fromMs = Math.ceil((edgeMs + 1) / spanMs) * spanMs;
    const range = { spanMs, fromMs, untilMs };
    untilMs = fromMs;
    return range;
  });
}

function amount(text: string): Amount {
  return Amount.parse(text, "");
}
