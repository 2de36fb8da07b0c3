import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import type { PaymentLinkRow } from "./tables/payment_links.ts";

/** Where the metadata of an invoice says which link started it. */
export const LINK_ID = "payment_link_id";

/** As the API and the command line show it. */
export function paymentLinkShape(row: PaymentLinkRow, publicUrl: string) {
  return {
    payment_link_id: row.id,
    url: paymentLinkUrl(row, publicUrl),
    title: row.title,
    amount: row.amount,
    min: row.min,
    max: row.max,
    currency: row.currency,
    redirect_url: row.redirectUrl,
    active: row.deactivatedAtMs === null,
    created_at: isoUtc(row.createdAtMs),
    deactivated_at: isoUtcOrNull(row.deactivatedAtMs),
  };
}

export function paymentLinkUrl({ slug }: Pick<PaymentLinkRow, "slug">, publicUrl: string): string {
  return `${publicUrl}/buy/${slug}`;
}

/** To paste into a page of any shop. It only opens the link, so it works without scripts. */
export function buttonHtml(row: PaymentLinkRow, publicUrl: string): string {
  const title = row.title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<a href="${
    paymentLinkUrl(row, publicUrl)
  }" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1b57d6;color:#fff;text-decoration:none">${title}</a>`;
}
