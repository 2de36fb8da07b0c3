import { last } from "../base/lists.ts";
import { Amount } from "../domain/money/amount.ts";
import { type Payment, splitOf, type Total } from "./rules/rules.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { read } from "../store/engine/workspace.ts";
import {
  approvedPayments,
  type AsOf,
  type CountedPayment,
  countedPayments,
} from "./reads/counted_payments.ts";
import { PolicyMarks, PolicyMeters } from "./table.ts";
import { Withdrawals } from "../withdrawals/table.ts";
import { covers } from "./rules/rules.ts";
import type { Deps } from "../deps/deps.ts";
import type { Meter } from "./known.ts";
import { amountFor, NEVER, newMeter } from "./count.ts";
import { NOTHING } from "./counter.ts";
import { paymentOf } from "./payment.ts";

const PAGE = 2_000;
const MARKS_AT_ONCE = 500;

/**
 * Counts what was requested before the meter began. It has counted everything since, so earlier
 * payments are marked with totals below zero, and the order in which both happen doesn't matter.
 */
export async function fillMeter(deps: Deps, meter: Meter, asOf: AsOf): Promise<void> {
  const catalog = await deps.catalog.current();
  const splits = new Map<string, Map<number, Total>>();
  for await (const row of earlierPayments(deps, meter, asOf)) note(splits, { row, meter, catalog });
  for (const [split, moments] of splits) {
    await deps.db.write({
      reads: [read(PolicyMeters, [meter.id, split])],
      decide: (view) => {
        if (!view.find(PolicyMeters, [meter.id, split])) {
          newMeter(view, { meterId: meter.id, split });
        }
      },
    });
    await writeMarks(deps, { meterId: meter.id, split, moments });
  }
}

/**
 * Each once: first those requested in the window, then those only approved in it. Of the meter's
 * account alone, whose people set rules as often as they like.
 */
async function* earlierPayments(
  deps: Deps,
  meter: Meter,
  asOf: AsOf,
): AsyncGenerator<CountedPayment> {
  const window = { column: "requested_at_ms", fromMs: meter.fromMs + 1, untilMs: Infinity };
  const spans = await deps.memory.idSpans.find(deps.db, Withdrawals, [window]);
  const isInSpan = ({ id }: CountedPayment) =>
    spans.some(({ from, below }) => id >= from && id < below);
  const isInWindow = (row: CountedPayment) => row.countedAtMs > meter.fromMs;
  const { accountId } = meter;
  for (const { from, below } of spans) {
    for (let until = below;;) {
      const asked = { accountId, from, below: until, limit: PAGE };
      const page = await countedPayments(deps.db, asked, asOf);
      yield* page.filter(isInWindow);
      if (page.length < PAGE) break;
      until = last(page).id;
    }
  }
  const approved = await approvedPayments(deps.db, { accountId, afterMs: meter.fromMs }, asOf);
  yield* approved.filter((row) => !isInSpan(row) && isInWindow(row));
}

interface Noted {
  readonly row: CountedPayment;
  readonly meter: Meter;
  readonly catalog: Catalog;
}

function note(
  splits: Map<string, Map<number, Total>>,
  { row, meter, catalog }: Noted,
): void {
  const payment: Payment = paymentOf(catalog, row);
  if (!covers(meter, payment)) return;
  const split = splitOf(meter, payment);
  const moments = splits.get(split) ?? new Map<number, Total>();
  splits.set(split, moments);
  const { amount, count } = moments.get(row.countedAtMs) ?? NOTHING;
  const sum = amount.plus(Amount.parse(amountFor(meter, payment), ""));
  moments.set(row.countedAtMs, { amount: sum, count: count + 1 });
}

/** Newest first, each below the one after it. */
async function writeMarks(
  { db }: Deps,
  { meterId, split, moments }: {
    meterId: number;
    split: string;
    moments: ReadonlyMap<number, Total>;
  },
): Promise<void> {
  let before = Amount.zero("");
  let addedCount = 0;
  const inOrder = [...moments].toSorted(([a], [b]) => b - a);
  const marks = inOrder.map(([atMs, { amount, count }], i) => {
    before = before.minus(amount);
    addedCount -= count;
    const previousAtMs = inOrder[i + 1]?.[0] ?? NEVER;
    return { meterId, split, atMs, added: before.toString(), addedCount, previousAtMs };
  });
  for (let from = 0; from < marks.length; from += MARKS_AT_ONCE) {
    await db.write({
      reads: [],
      decide: (view) => {
        for (const mark of marks.slice(from, from + MARKS_AT_ONCE)) view.insert(PolicyMarks, mark);
      },
    });
  }
}
