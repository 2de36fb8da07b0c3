import { Amount } from "../../domain/money/amount.ts";
import type { Total } from "./rules.ts";

/** A meter at the edge of a window: what it had counted before it, and had taken out behind it. */
export interface Edge {
  /** Counted at or before the edge, as the meter adds up. */
  readonly before: Total;
  /** Of what was counted after the edge, what had been taken out when this was read. */
  readonly removedAfter: Total;
  /** All that had been taken out then. */
  readonly removed: Total;
}

/** What a meter's total contains besides the window. */
export function outsideOf({ before, removedAfter, removed }: Edge): Total {
  return {
    amount: before.amount.plus(removedAfter.amount).minus(removed.amount),
    count: before.count + removedAfter.count - removed.count,
  };
}

/** What counts in the window: payments after the edge, without those taken out. */
export function totalAfter(now: Total, outside: Total): Total {
  return { amount: now.amount.minus(outside.amount), count: now.count - outside.count };
}

export function sumOf(totals: readonly Total[]): Total {
  return {
    amount: totals.reduce((sum, { amount }) => sum.plus(amount), Amount.zero("")),
    count: totals.reduce((sum, { count }) => sum + count, 0),
  };
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
