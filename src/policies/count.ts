import { Amount } from "../domain/money/amount.ts";
import { spansOf } from "./rules/meter.ts";
import { type Payment, UNKNOWN_VALUE } from "./rules/rules.ts";
import {
  PolicyMarks,
  type PolicyMeterRow,
  PolicyMeters,
  PolicyRemovals,
  type PolicyRow,
} from "./table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { addedIn, type NewCount, rowIn } from "./counter.ts";
import type { Counted, Counter, Meter } from "./known.ts";

/** What is taken out later than this may be older than a window that somebody has just read. */
const YOUNG_MS = 30 * 60_000;
export const NEVER = -1;

interface Order {
  readonly counted: readonly Counted[];
  readonly payment: Payment;
}

export function takeOutReads(counted: readonly Counted[], countedAtMs: number): Read[] {
  return counted.flatMap(({ counter: { meterId, split } }) =>
    spansOf(countedAtMs).map(({ spanMs, startsAtMs }) =>
      read(PolicyRemovals, [meterId, split, spanMs, startsAtMs])
    )
  );
}

/** In the unit that holds the money, or that approves the payment. */
export function count(
  view: View,
  { counted, payment, paid, atMs }: Order & { paid: Amount; atMs: number },
): NewCount[] {
  return counted.map(({ meter, counter }) => {
    const row = rowIn(view, counter) ?? newMeter(view, counter);
    const lastMarkMs = Math.max(atMs, row.lastMarkMs);
    if (lastMarkMs > row.lastMarkMs) insertMark(view, row, lastMarkMs);
    const amount = meter.quote ? Amount.parse(amountFor(meter, payment), "") : paid;
    const added = isSummed(meter) ? addedIn(counter, row).plus(amount) : addedIn(counter, row);
    const addedCount = row.addedCount + 1;
    const patch = { added: added.toString(), addedCount, lastMarkMs };
    counter.newest = { row: view.update(PolicyMeters, row, patch), added };
    return { counter, addedCount };
  });
}

function insertMark(view: View, row: PolicyMeterRow, atMs: number): void {
  const { meterId, split, added, addedCount, lastMarkMs: previousAtMs } = row;
  view.insert(PolicyMarks, { meterId, split, atMs, added, addedCount, previousAtMs });
}

/** It ended unpaid, or counts from another time. */
export function takeOut(
  view: View,
  { counted, payment, countedAtMs, nowMs, entryId }: Order & {
    countedAtMs: number;
    nowMs: number;
    /** The ledger's entry that released it, if that is why. */
    entryId?: number;
  },
): void {
  for (const { meter, counter } of counted) {
    const row = rowIn(view, counter);
    // It ended before the meter began to look.
    if (!row || countedAtMs <= meter.fromMs) continue;
    if (entryId !== undefined && entryId <= (row.releasedTo ?? 0)) continue;
    const amount = amountFor(meter, payment);
    const isOld = countedAtMs <= nowMs - YOUNG_MS;
    view.update(PolicyMeters, row, {
      removed: sum(row.removed, amount),
      removedCount: row.removedCount + 1,
      revision: row.revision + (isOld ? 1 : 0),
      releasedTo: entryId ?? row.releasedTo,
    });
    noteRemoval(view, { meterId: meter.id, split: row.split, amount, countedAtMs });
  }
}

interface Removal {
  readonly meterId: number;
  readonly split: string;
  readonly amount: string;
  readonly countedAtMs: number;
}

function noteRemoval(view: View, { meterId, split, amount, countedAtMs }: Removal): void {
  for (const { spanMs, startsAtMs } of spansOf(countedAtMs)) {
    const row = view.find(PolicyRemovals, [meterId, split, spanMs, startsAtMs]);
    if (row) {
      const patch = { amount: sum(row.amount, amount), payments: row.payments + 1 };
      view.update(PolicyRemovals, row, patch);
    } else {
      const first = { meterId, split, spanMs, startsAtMs, amount, payments: 1 };
      view.insertKeyed(PolicyRemovals, first);
    }
  }
}

export function newMeter(
  view: View,
  { meterId, split }: Pick<Counter, "meterId" | "split">,
): PolicyMeterRow {
  return view.insertKeyed(PolicyMeters, {
    meterId,
    split,
    added: "0",
    addedCount: 0,
    removed: "0",
    removedCount: 0,
    revision: 0,
    lastMarkMs: NEVER,
    releasedTo: null,
  });
}

/**
 * What a payment adds to a meter, the same whenever it is asked: its value when it was requested,
 * or else by the rates that the meter began with. A meter without any currency only counts.
 */
export function amountFor(
  meter: Pick<Meter, "currency" | "quote" | "rates">,
  payment: Payment,
): string {
  const { quote = null, rates } = meter;
  if (quote === null) return isSummed(meter) ? payment.amount : "0";
  const noted = payment.values?.[quote];
  if (noted !== undefined) return noted;
  const rate = rates?.[payment.currency];
  if (rate !== undefined) return valueOf(payment.amount, rate);
  // Meters from before this rule was there took nothing in, so nothing may be taken out of them.
  return rates?.[WITHOUT_RATE] ?? "0";
}

function isSummed({ currency, quote = null }: Pick<Meter, "currency" | "quote">): boolean {
  return currency !== null || quote !== null;
}

/** No currency has an empty symbol. */
const WITHOUT_RATE = "";

/** The rates of a new meter, and what a payment of unknown value counts. */
export function meterRates(rates: Readonly<Record<string, string>>): Record<string, string> {
  return { ...rates, [WITHOUT_RATE]: UNKNOWN_VALUE };
}

/**
 * Older rules left out payments of unknown value. When such a rule began to count; null: it misses
 * none in a window that begins at `sinceMs`.
 */
export function countsFrom(
  { quote, rates, createdAtMs }: Pick<PolicyRow, "quote" | "rates" | "createdAtMs">,
  sinceMs: number,
): number | null {
  const isComplete = quote === null || rates?.[WITHOUT_RATE] !== undefined;
  return isComplete || createdAtMs <= sinceMs ? null : createdAtMs;
}

export function valueOf(amount: string, rate: string): string {
  return Amount.parse(amount, "").convertedBy(rate, "").toString();
}

function sum(one: string, other: string): string {
  return Amount.parse(one, "").plus(Amount.parse(other, "")).toString();
}
