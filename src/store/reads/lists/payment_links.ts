import type { Db } from "../../engine/db.ts";
import { type PaymentLinkRow, PaymentLinks } from "../../tables/checkout/payment_links.ts";
import type { PageOf } from "../pages/page.ts";
import type { IdSpans } from "./id_spans.ts";
import type { Paged } from "./order.ts";
import { walk } from "./walk.ts";

export function paymentLinksListed(
  db: Db,
  { spans, accountId, ...paged }: Paged & { spans: IdSpans; accountId: number },
): Promise<PageOf<PaymentLinkRow>> {
  const source = {
    index: "payment_links_account",
    columns: ["account_id"],
    values: [[accountId]],
  };
  const asked = { sources: [source], filters: [], windows: [], ...paged };
  return walk(db, { table: PaymentLinks, spans }, asked);
}
