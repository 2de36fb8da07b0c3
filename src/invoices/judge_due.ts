import { present } from "../base/assert.ts";
import { last } from "../base/lists.ts";
import { nextTurn } from "../base/waiting/next_turn.ts";
import { recordEvent } from "../books/records.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { notePaidStart, paidStartReads } from "./link_starts.ts";
import { type InvoiceLook, lookAt } from "./look.ts";
import { changedRefunds, dueInvoices, paymentCounts } from "./reads/listed.ts";
import { lookAgainAtRefunds } from "./refund_room.ts";
import { judge, judgedAgainAtMs } from "./rules/judge.ts";
import { invoiceEvent } from "./rules/status.ts";
import { type InvoiceSums, NO_SUMS } from "./rules/sums.ts";
import { invoiceShape } from "./shape.ts";
import { type AddedUp, addUpPayments, countRefunds, refundReads } from "./sums.ts";
import { InvoicePayments, type InvoiceRow, Invoices } from "./tables/invoices.ts";
import { Networks } from "../networks/table.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";

const AT_ONCE = 50;
/** Payments and refunds of invoices that are added up at once, so that nobody waits long for their units. */
const ADDED_UP_AT_ONCE = 100;
/** Of one invoice; the others of its batch aren't marked again for its sake. */
const REFUNDS_AT_ONCE = 200;
const CLAIMED_MS = 60_000;
/** It waits for no page that shows many payments. */
const IN_EVENTS = { queue: "events" };
const NONE = { judgeAtMs: -1, id: 0 };
/** Its payments or refunds have changed, so it is due at once. */
export const MARKED = 0;

/** Looks at every invoice whose time or payments have changed. One that fails stops no other. */
export async function judgeDue(deps: Deps): Promise<void> {
  const errors: unknown[] = [];
  let after = NONE;
  const nowMs = deps.clock.nowMs();
  const judgeNext = async (wanted: { nowMs: number; after: typeof NONE }) => {
    const due = await dueInvoices(deps.db, { ...wanted, limit: AT_ONCE });
    errors.push(...await judgeAll(deps, await filterGenuine(deps, Invoices, due)));
    return due;
  };
  for (;;) {
    const due = await judgeNext({ nowMs, after });
    if (due.length < AT_ONCE) break;
    const { id, judgeAtMs } = last(due);
    after = { id, judgeAtMs: present(judgeAtMs, "It is due") };
    // What payments have marked meanwhile doesn't wait for all that end at the same time.
    if (after.judgeAtMs > MARKED) await judgeNext({ nowMs: MARKED, after: NONE });
  }
  if (errors.length > 0) throw errors[0];
}

/** For somebody who is about to change it: with everything that has come. */
export async function judgeNow(deps: Deps, row: InvoiceRow): Promise<InvoiceRow> {
  const [error] = await judgeAll(deps, [row]);
  if (error !== undefined) throw error;
  return await deps.db.get(Invoices, [row.id]);
}

/**
 * Nothing has come since, and nobody is about to add it up: only then its sums decide. While a
 * payment is missing from the chain, it is looked at every half minute.
 */
export function isAddedUp(row: InvoiceRow): boolean {
  const { sums, status, judgeAtMs } = row;
  if (sums === null || sums.missing > 0) return false;
  return judgeAtMs === judgedAgainAtMs(status, row, { sums, nowMs: 0 });
}

/** Returns what went wrong. */
async function judgeAll(deps: Deps, rows: readonly InvoiceRow[]): Promise<unknown[]> {
  if (rows.length === 0) return [];
  const claimed = await claim(deps, rows);
  const ids = claimed.map(({ id }) => id);
  const [counts, refunds] = await Promise.all([
    paymentCounts(deps.db, ids),
    changedRefunds(deps.db, { ids, limitEach: REFUNDS_AT_ONCE }),
  ]);
  const refundIdsOf = ({ id }: InvoiceRow) => refunds.get(id) ?? [];
  const workOf = (row: InvoiceRow) => (counts.get(row.id) ?? 0) + refundIdsOf(row).length;
  const errors: unknown[] = [];
  for (const some of portionsOf(claimed, workOf)) {
    await Promise.all(
      some.map((row) =>
        judgeInvoice(deps, { row, refundIds: refundIdsOf(row) })
          .catch((error) => void errors.push(error))
      ),
    );
    await nextTurn();
  }
  return errors;
}

/** Those with the fewest payments and refunds first: they wait for no others. */
function portionsOf(
  rows: readonly InvoiceRow[],
  workOf: (row: InvoiceRow) => number,
): InvoiceRow[][] {
  const portions: InvoiceRow[][] = [];
  let room = 0;
  for (const row of rows.toSorted((a, b) => workOf(a) - workOf(b))) {
    if (portions.length === 0 || room < workOf(row)) {
      portions.push([]);
      room = ADDED_UP_AT_ONCE;
    }
    last(portions).push(row);
    room -= workOf(row);
  }
  return portions;
}

/**
 * Before its payments are read: whatever changes from here on marks the invoice again. If this
 * program is killed, it is looked at again a minute later.
 */
async function claim(deps: Deps, rows: readonly InvoiceRow[]): Promise<InvoiceRow[]> {
  const judgeAtMs = deps.clock.nowMs() + CLAIMED_MS;
  return await deps.db.write({
    reads: readAll(Invoices, rows.map(({ id }) => [id])),
    decide: (view) =>
      rows.flatMap(({ id }) => {
        const row = view.raw.get(Invoices, [id]);
        return view.isGenuine(Invoices, row) ? [view.update(Invoices, row, { judgeAtMs })] : [];
      }),
  });
}

/** Writes what the invoice has and is now, with the event that reports it. */
async function judgeInvoice(
  deps: Deps,
  { row, refundIds }: {
    row: InvoiceRow;
    /** Of the refunds that changed. */
    refundIds: readonly number[];
  },
): Promise<void> {
  const added = await addUpPayments(deps, row);
  const { status } = judge(row, { sums: added.sums, nowMs: deps.clock.nowMs() });
  const sums = { ...row.sums ?? NO_SUMS, ...added.sums };
  const isReported = invoiceEvent(row.status, status) !== undefined;
  const look = isReported ? await lookAt(deps, { ...row, status, sums }, IN_EVENTS) : null;
  await deps.db.write({
    reads: [
      read(Invoices, [row.id]),
      ...readAll(InvoicePayments, added.rated.map(({ id }) => [id])),
      ...readAll(Networks, [...added.judgedBy.keys()].map((code) => [code])),
      ...refundReads(refundIds),
      ...paidStartReads(row),
    ],
    decide: (view) => {
      // Payers and the clock cause it, not the account.
      view.countAs("none");
      const now = view.get(Invoices, [row.id]);
      const judged = judge(now, { sums: added.sums, nowMs: deps.clock.nowMs() });
      const isOutdated = [...added.judgedBy].some(([code, testChanges]) =>
        view.get(Networks, [code]).testChanges !== testChanges
      );
      // Something has changed since its payments were read, or its time has come.
      if (now.judgeAtMs !== row.judgeAtMs || judged.status !== status || isOutdated) {
        view.update(Invoices, now, { judgeAtMs: MARKED });
        return;
      }
      keepRates(view, added);
      const kept = { ...now.sums ?? NO_SUMS, ...added.sums };
      const sums = countRefunds(view, { sums: kept, ids: refundIds });
      settle(view, { deps, row: now, sums, look, isMarked: refundIds.length === REFUNDS_AT_ONCE });
    },
  });
  lookAgainAtRefunds(deps, row.id);
}

/** The status that follows from the sums, both in one unit, with the event that reports it. */
export function settle(
  view: View,
  { deps, row, sums, look, isMarked = false }: {
    deps: Pick<Deps, "publicUrl" | "clock">;
    row: InvoiceRow;
    sums: InvoiceSums;
    /** What the event shows. Null: the status stays. */
    look: InvoiceLook | null;
    /** It has to be added up again. */
    isMarked?: boolean;
  },
): InvoiceRow {
  const nowMs = deps.clock.nowMs();
  const { status } = judge(row, { sums, nowMs });
  const isNewlyPaid = status === "paid" && row.status !== "paid";
  if (isNewlyPaid) notePaidStart(view, row);
  const next = view.update(Invoices, row, {
    status,
    sums,
    paidAtMs: isNewlyPaid ? nowMs : status === "paid" ? row.paidAtMs : null,
    judgeAtMs: isMarked ? MARKED : judgedAgainAtMs(status, row, { sums, nowMs }),
  });
  const type = invoiceEvent(row.status, status);
  if (type) {
    const now = { ...present(look, "An event shows its invoice"), sums };
    const data = invoiceShape(next, { look: now, publicUrl: deps.publicUrl, nowMs });
    recordEvent(view, { accountId: row.accountId, type, data, nowMs });
  }
  return next;
}

function keepRates(view: View, { rated }: AddedUp): void {
  for (const { id, laterRate, ratedAtMs, isWorthless, testChanges } of rated) {
    const kept = view.get(InvoicePayments, [id]);
    if (kept.ratedAtMs === null || kept.testChanges !== testChanges) {
      view.update(InvoicePayments, kept, { laterRate, ratedAtMs, isWorthless, testChanges });
    }
  }
}
