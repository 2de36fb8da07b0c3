import { PAYMENT_LINKS_LISTED } from "../../store/reads/lists/payment_links.ts";
import type { PaymentLinkRow } from "../../store/tables/checkout/payment_links.ts";
import type { List } from "./list.ts";

export const PAYMENT_LINKS: List<PaymentLinkRow> = {
  title: "Payment links",
  listing: PAYMENT_LINKS_LISTED,
  filters: {},
};
