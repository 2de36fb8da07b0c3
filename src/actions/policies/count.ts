import { Amount } from "../../domain/money/amount.ts";
import { spansOf } from "../../domain/policy/meter.ts";
import { type Payment, splitOf } from "../../domain/policy/rules.ts";
import {
  PolicyMarks,
  type PolicyMeterRow,
  PolicyMeters,
  PolicyRemovals,
} from "../../store/tables/control/policies.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";
import { mustBeGenuine } from "../books/tampered.ts";
import type { Meter } from "./known.ts";

/** What is taken out later than this may be older than a window that somebody has just read. */
const YOUNG_MS = 30 * 60_000;
const NEVER = -1;

interface Counted {
  readonly meters: readonly Meter[];
  readonly payment: Payment;
}

export function meterRead(meter: Meter, payment: Payment): Read<PolicyMeterRow> {
  return read(PolicyMeters, [meter.id, splitOf(meter, payment)]);
}

export function meterReads({ meters, payment }: Counted): Read[] {
  return meters.map((meter) => meterRead(meter, payment));
}

export function takeOutReads({ meters, payment }: Counted, countedAtMs: number): Read[] {
  const spans = meters.flatMap((meter) =>
    spansOf(countedAtMs).map(({ spanMs, startsAtMs }) =>
      read(PolicyRemovals, [meter.id, splitOf(meter, payment), spanMs, startsAtMs])
    )
  );
  return [...meterReads({ meters, payment }), ...spans];
}

/** In the unit that holds the money, or that approves the payment. */
export function count(view: View, { meters, payment, atMs }: Counted & { atMs: number }): void {
  for (const meter of meters) {
    const split = splitOf(meter, payment);
    const row = meterOf(view, meter, payment) ?? newMeter(view, { meterId: meter.id, split });
    const lastMarkMs = Math.max(atMs, row.lastMarkMs);
    if (lastMarkMs > row.lastMarkMs) {
      const { added, addedCount } = row;
      view.insert(PolicyMarks, {
        meterId: meter.id,
        split,
        atMs: lastMarkMs,
        added,
        addedCount,
      });
    }
    view.update(PolicyMeters, row, {
      added: sum(row.added, amountFor(meter, payment)),
      addedCount: row.addedCount + 1,
      lastMarkMs,
    });
  }
}

/** It ended unpaid, or counts from another time. */
export function takeOut(
  view: View,
  { meters, payment, countedAtMs, nowMs }: Counted & { countedAtMs: number; nowMs: number },
): void {
  for (const meter of meters) {
    const row = meterOf(view, meter, payment);
    // It ended before the meter began to look.
    if (!row || countedAtMs <= meter.fromMs) continue;
    const amount = amountFor(meter, payment);
    const isOld = countedAtMs <= nowMs - YOUNG_MS;
    view.update(PolicyMeters, row, {
      removed: sum(row.removed, amount),
      removedCount: row.removedCount + 1,
      revision: row.revision + (isOld ? 1 : 0),
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
      mustBeGenuine(view, PolicyRemovals, row);
      const patch = { amount: sum(row.amount, amount), payments: row.payments + 1 };
      view.update(PolicyRemovals, row, patch);
    } else {
      const first = { meterId, split, spanMs, startsAtMs, amount, payments: 1 };
      view.insertKeyed(PolicyRemovals, first);
    }
  }
}

function meterOf(view: View, meter: Meter, payment: Payment): PolicyMeterRow | undefined {
  const row = view.rowOf(meterRead(meter, payment));
  if (row) mustBeGenuine(view, PolicyMeters, row);
  return row;
}

export function newMeter(
  view: View,
  { meterId, split }: { meterId: number; split: string },
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
  });
}

/** A meter without a currency only counts. */
export function amountFor({ currency }: Pick<Meter, "currency">, payment: Payment): string {
  return currency === null ? "0" : payment.amount;
}

function sum(one: string, other: string): string {
  return Amount.parse(one, "").plus(Amount.parse(other, "")).toString();
}
