import { PAYMENT_LINKS_LISTED } from "../reads/payment_links.ts";
import type { PaymentLinkRow } from "../tables/payment_links.ts";
import type { List } from "../../operations/lists/list.ts";

export const PAYMENT_LINKS: List<PaymentLinkRow> = {
  title: "Payment links",
  listing: PAYMENT_LINKS_LISTED,
  filters: {},
};
