import type { Component } from "../../../base/html.ts";
import { assetOf } from "../../../domain/money/amount.ts";
import { BASE, type Visit } from "../../visit.ts";
import type { Story } from "./_story.tsx";

const CREDITED = ["confirmed", "sweep_pending", "swept"];

/**
 * The recipient is left to the customer: the sending address may be an exchange's. Refunds of
 * invoices from before a restore wait for approval; any other payout from then goes out at once.
 */
export const RefundLink: Component<{ visit: Visit; story: Story }> = ({ visit, story }) => {
  const { row, invoiceId, isRestored } = story;
  const path = invoiceId === undefined ? "/withdrawals/new" : `/invoices/${invoiceId}/refund`;
  if (!CREDITED.includes(row.status) || !visit.may("GET", path)) return null;
  if (isRestored && invoiceId === undefined) return null;
  const asset = assetOf(row);
  const query = new URLSearchParams(invoiceId === undefined ? payoutOf(story) : { coin: asset });
  if (visit.seesAll) query.set("account", String(row.accountId));
  return <a class="button plain" href={`${BASE}${path}?${query}`}>Refund</a>;
};

/** The reference keeps one payment from being refunded twice. */
function payoutOf({ row }: Story): Record<string, string> {
  return { asset: assetOf(row), amount: row.amount, reference: `refund-of-payment-${row.id}` };
}
