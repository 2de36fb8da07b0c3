import { defineTable, int, type RowOf, text } from "../table.ts";

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
export type PaymentLinkRow = RowOf<typeof PaymentLinks>;
