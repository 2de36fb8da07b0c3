import { defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

export const PaymentLinks = defineTable("payment_links", {
  columns: {
    id: int(),
    accountId: int(),
    keyId: text(),
    idempotencyKey: text().orNull(),
    /** In the link, which is all it takes to start an invoice. */
    slug: text(),
    title: text(),
    /** Null: the payer chooses, between these two. */
    amount: text().orNull(),
    min: text().orNull(),
    max: text().orNull(),
    currency: text(),
    redirectUrl: text().orNull(),
    createdAtMs: int(),
    deactivatedAtMs: int().orNull(),
  },
  primary: ["id"],
  unique: { slug: ["slug"], idempotency: ["keyId", "idempotencyKey"] },
  isSerial: true,
  sealedExcept: [],
});
/** Who opens a link need not be anybody, so what they start without paying is limited. */
export const PaymentLinkStarts = defineTable("payment_link_starts", {
  columns: {
    linkId: int(),
    accountId: int(),
    /** When the hour began in which they are counted. */
    sinceMs: int(),
    unpaid: int(),
  },
  primary: ["linkId"],
});
export type PaymentLinkRow = RowOf<typeof PaymentLinks>;
