import { isOnceKey } from "../../dashboard/parts/once.tsx";
import { orderName } from "../../dashboard/words/orders.ts";
import type { Ordered } from "../../invoices/reads/orders.ts";
import type { PayeeNames, Recipient } from "../../payees/names.ts";

interface Named extends Recipient {
  readonly id: number;
  readonly clientReference: string | null;
}

/** What is known of payouts besides their rows. */
export interface PayoutsKnown {
  readonly payees: PayeeNames;
  /** By the payout's id. */
  readonly refunds: ReadonlyMap<number, Ordered>;
}

/** What it gives back, or else to whom, or else what for. */
export function payoutName(row: Named, { payees, refunds }: PayoutsKnown): string {
  const refunded = refunds.get(row.id);
  if (refunded) return refundName(refunded);
  const typed = typedReference(row);
  return payees(row) ?? (typed?.match(LIKE_A_REFUND) ? `"${typed}"` : typed) ??
    shortAddress(row.toAddress);
}

/** Only what gives an invoice's money back is called a refund without quotes. */
const LIKE_A_REFUND = /^\s*refund of\b/i;

/** "Refund of Order 1042" */
export function refundName(invoice: Ordered): string {
  return `Refund of ${orderName(invoice)}`;
}

/** Null also if a form made one up, which says nothing to anybody. */
export function typedReference(
  { clientReference: text }: { readonly clientReference: string | null },
): string | null {
  return text !== null && isOnceKey(text) ? null : text;
}

function shortAddress(text: string): string {
  return `${text.slice(0, 8)}…${text.slice(-6)}`;
}
