import { type PaymentLinkRow, PaymentLinks } from "../tables/payment_links.ts";
import type { Listing } from "../../store/lists/listing.ts";

export const PAYMENT_LINKS_LISTED: Listing<PaymentLinkRow> = {
  table: PaymentLinks,
  time: "created_at_ms",
  ways: [[{ index: "payment_links_account", columns: ["account_id"] }]],
};
