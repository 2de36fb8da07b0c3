import { last } from "../../base/lists.ts";
import { present } from "../../base/assert.ts";
import { judgedAgainAtMs } from "../../domain/invoices/judge.ts";
import { invoiceEvent } from "../../domain/invoices/status.ts";
import { dueInvoices } from "../../store/reads/lists/invoices.ts";
import {
  InvoicePayments,
  type InvoiceRow,
  Invoices,
} from "../../store/tables/checkout/invoices.ts";
import { Transactions } from "../../store/tables/transactions.ts";
import { type Read, read, readAll, type View } from "../../store/engine/workspace.ts";
import { recordEvent } from "../books/records.ts";
import { filterGenuine, mustBeGenuine } from "../books/tampered.ts";
import { rateOf } from "../rates/current.ts";
import type { Deps } from "../deps.ts";
import { factsOf, type InvoiceFacts, judgementOf } from "./facts.ts";
import { invoiceShape } from "./shape.ts";

const AT_ONCE = 50;
const CLAIMED_MS = 60_000;
const NONE = { judgeAtMs: -1, id: 0 };
/** Its payments have changed, so it is due at once. */
const MARKED = 0;

/** Looks at every invoice whose time or payments have changed. One that fails stops no other. */
export async function judgeDue(deps: Deps): Promise<void> {
  const errors: unknown[] = [];
  let after = NONE;
  const nowMs = deps.clock.nowMs();
  const judgeNext = async (wanted: { nowMs: number; after: typeof NONE }) => {
    const due = await dueInvoices(deps.db, { ...wanted, limit: AT_ONCE });
    const rows = await claim(deps, await filterGenuine(deps, Invoices, due));
    await Promise.all(
      rows.map((row) => judgeInvoice(deps, row).catch((error) => void errors.push(error))),
    );
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

/**
 * Before its facts are read: whatever changes from here on marks the invoice again. If this program
 * is killed, it is looked at again a minute later.
 */
async function claim(deps: Deps, rows: readonly InvoiceRow[]): Promise<InvoiceRow[]> {
  if (rows.length === 0) return [];
  const judgeAtMs = deps.clock.nowMs() + CLAIMED_MS;
  return await deps.db.write({
    reads: readAll(Invoices, rows.map(({ id }) => [id])),
    decide: (view) =>
      rows.flatMap(({ id }) => {
        const row = view.get(Invoices, [id]);
        return view.isGenuine(Invoices, row) ? [view.update(Invoices, row, { judgeAtMs })] : [];
      }),
  });
}

/** Writes what the invoice is now, with the event that reports it. */
async function judgeInvoice(deps: Deps, row: InvoiceRow): Promise<void> {
  const facts = await withRates(deps, { row, facts: await factsOf(deps, row) });
  await deps.db.write({
    reads: [read(Invoices, [row.id]), ...paymentReads(facts)],
    decide: (view) => {
      const now = view.get(Invoices, [row.id]);
      mustBeGenuine(view, Invoices, now);
      keepRates(view, facts);
      return settle(view, { deps, row: now, facts: asOf(view, facts), seenAtMs: row.judgeAtMs });
    },
  });
}

/** The status that follows from the facts, with its event. */
export function settle(
  view: View,
  { deps, row, facts, seenAtMs }: {
    deps: Pick<Deps, "publicUrl" | "clock">;
    row: InvoiceRow;
    facts: InvoiceFacts;
    /** Its `judgeAtMs` before the facts were read; a change since then has set it to 0. */
    seenAtMs: number | null;
  },
): InvoiceRow {
  const nowMs = deps.clock.nowMs();
  const { status } = judgementOf(row, { facts, nowMs });
  const isMarked = row.judgeAtMs === MARKED || row.judgeAtMs !== seenAtMs;
  const isNewlyPaid = status === "paid" && row.status !== "paid";
  const next = view.update(Invoices, row, {
    status,
    paidAtMs: isNewlyPaid ? nowMs : status === "paid" ? row.paidAtMs : null,
    judgeAtMs: isMarked ? MARKED : judgedAgainAtMs(status, row),
  });
  const type = invoiceEvent(row.status, status);
  if (type) {
    const data = invoiceShape(next, { facts, publicUrl: deps.publicUrl, nowMs });
    recordEvent(view, { accountId: row.accountId, type, data, nowMs });
  }
  return next;
}

/** The coin's price when its payment is first seen; null stays null, and the merchant decides. */
async function withRates(
  deps: Deps,
  { row, facts }: { row: InvoiceRow; facts: InvoiceFacts },
): Promise<InvoiceFacts> {
  const ratedAtMs = deps.clock.nowMs();
  const payments = await Promise.all(facts.payments.map(async (paid) => {
    if (paid.link.ratedAtMs !== null) return paid;
    const { currency } = paid.row;
    const laterRate = currency === row.currency
      ? "1"
      : (await rateOf(deps, { base: currency, quote: row.currency }))?.value ?? null;
    return { ...paid, link: { ...paid.link, laterRate, ratedAtMs } };
  }));
  return { ...facts, payments };
}

function keepRates(view: View, { payments }: InvoiceFacts): void {
  for (const { link: { id, laterRate, ratedAtMs } } of payments) {
    const kept = view.get(InvoicePayments, [id]);
    mustBeGenuine(view, InvoicePayments, kept);
    if (kept.ratedAtMs === null) view.update(InvoicePayments, kept, { laterRate, ratedAtMs });
  }
}

export function paymentReads({ payments }: InvoiceFacts): Read[] {
  return [
    ...readAll(InvoicePayments, payments.map(({ link }) => [link.id])),
    ...readAll(Transactions, payments.map(({ row }) => [row.id])),
  ];
}

/** The payments as they are in this unit. */
export function asOf(view: View, facts: InvoiceFacts): InvoiceFacts {
  const payments = facts.payments.map((paid) => {
    const link = view.get(InvoicePayments, [paid.link.id]);
    const row = view.get(Transactions, [paid.row.id]);
    mustBeGenuine(view, InvoicePayments, link);
    mustBeGenuine(view, Transactions, row);
    return { link, row };
  });
  return { ...facts, payments };
}
