import type { Db } from "../../engine/db.ts";
import { type PaymentLinkRow, PaymentLinks } from "../../tables/checkout/payment_links.ts";
import type { PageOf } from "../pages/page.ts";
import type { IdSpans } from "./id_spans.ts";
import { walk } from "./walk.ts";

/** An account's, newest first. */
export function paymentLinksListed(
  db: Db,
  { spans, accountId, cursor, limit }: {
    spans: IdSpans;
    accountId: number;
    cursor: number | null;
    limit: number;
  },
): Promise<PageOf<PaymentLinkRow>> {
  const source = {
    index: "payment_links_account",
    columns: ["account_id"],
    values: [[accountId]],
  };
  const asked = { sources: [source], filters: [], windows: [], cursor, limit };
  return walk(db, { table: PaymentLinks, spans }, asked);
}
