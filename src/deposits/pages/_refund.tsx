import type { Component } from "../../base/html.ts";
import { assetOf } from "../../domain/money/amount.ts";
import { isUnpaid } from "../../withdrawals/rules/moves.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { Story } from "./_story.tsx";

/**
 * The recipient is left to the customer: the sending address may be an exchange's. Refunds of
 * invoices from before a restore wait for approval; any other payout from then goes out at once.
 */
export const RefundLink: Component<{ visit: Visit; story: Story }> = ({ visit, story }) => {
  const { row, invoiceId, isRestored, refunds: { left, reference } } = story;
  const path = invoiceId === undefined ? "/withdrawals/new" : `/invoices/${invoiceId}/refund`;
  if (left.isZero() || !visit.may("GET", path)) return null;
  const asset = assetOf(row);
  const query = new URLSearchParams({ coin: asset });
  if (invoiceId === undefined) {
    if (isRestored || reference === undefined) return null;
    query.delete("coin");
    query.set("asset", asset);
    query.set("amount", left.toString());
    query.set("reference", reference);
  }
  if (visit.seesAll) query.set("account", String(row.accountId));
  return <a class="button plain" href={`${BASE}${path}?${query}`}>Refund</a>;
};

/** Refunds of an invoice belong to all its payments in a currency. */
export function refundText({ row, invoiceId, refunds: { rows, left } }: Story): string {
  const live = rows.filter(({ status }) => !isUnpaid(status));
  const of = invoiceId === undefined
    ? "it"
    : `what invoice ${invoiceId} received in ${row.currency}`;
  if (live.some(({ status }) => status !== "confirmed")) return ` A refund of ${of} is under way.`;
  if (live.length === 0) return "";
  return ` ${left.isZero() ? "All" : "Part"} of ${of} has been refunded.`;
}

/** In words, as on the invoice's page. */
export function refundedWord({ refunds: { rows, left } }: Story): string | undefined {
  if (!rows.some(({ status }) => status === "confirmed")) return undefined;
  const isUnderWay = rows.some(({ status }) => !isUnpaid(status) && status !== "confirmed");
  return left.isZero() && !isUnderWay ? "refunded" : "partly refunded";
}
