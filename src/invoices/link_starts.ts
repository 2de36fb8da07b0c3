import { Refused } from "../domain/refusal.ts";
import type { InvoiceRow } from "./tables/invoices.ts";
import { type PaymentLinkRow, PaymentLinkStarts } from "./tables/payment_links.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { LINK_ID } from "./payment_link_shape.ts";

const UNPAID_STARTS_MAX = 1_000;
const HOUR_MS = 3_600_000;

export function startsRead(linkId: number): Read {
  return read(PaymentLinkStarts, [linkId]);
}

/** Counts a start, unless the link has had as many in this hour that nobody paid. */
export function takeStart(
  view: View,
  { id: linkId, accountId }: Pick<PaymentLinkRow, "id" | "accountId">,
): Refused | undefined {
  const { nowMs } = view;
  const row = view.find(PaymentLinkStarts, [linkId]);
  if (!row) {
    view.insertKeyed(PaymentLinkStarts, { linkId, accountId, sinceMs: nowMs, unpaid: 1 });
    return undefined;
  }
  const endsAtMs = row.sinceMs + HOUR_MS;
  // A clock that was set back must not close the link for longer.
  const isOver = nowMs >= endsAtMs || nowMs < row.sinceMs;
  if (isOver) {
    view.update(PaymentLinkStarts, row, { sinceMs: nowMs, unpaid: 1 });
    return undefined;
  }
  if (row.unpaid >= UNPAID_STARTS_MAX) {
    const retryAfterS = Math.ceil((endsAtMs - nowMs) / 1_000);
    return new Refused("rate_limited", { retryAfterS });
  }
  view.update(PaymentLinkStarts, row, { unpaid: row.unpaid + 1 });
  return undefined;
}

/** For an invoice that may become paid. */
export function paidStartReads(invoice: Pick<InvoiceRow, "metadata">): Read[] {
  const linkId = linkOf(invoice);
  return linkId === undefined ? [] : [startsRead(linkId)];
}

/** What was paid leaves room for another start. */
export function notePaidStart(view: View, invoice: InvoiceRow): void {
  const linkId = linkOf(invoice);
  const row = linkId === undefined ? undefined : view.find(PaymentLinkStarts, [linkId]);
  // Whoever makes an invoice may write any link's number into it.
  if (row?.accountId !== invoice.accountId || row.unpaid === 0) return;
  if (invoice.createdAtMs < row.sinceMs) return;
  view.update(PaymentLinkStarts, row, { unpaid: row.unpaid - 1 });
}

function linkOf({ metadata }: Pick<InvoiceRow, "metadata">): number | undefined {
  const text = metadata[LINK_ID] ?? "";
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}
