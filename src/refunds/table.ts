import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** Withdrawals that give back what was paid for an invoice. */
export const Refunds = defineTable("refunds", {
  columns: {
    withdrawalId: int(),
    invoiceId: int(),
    /** What the invoice's sums count for it: "0" once it was not paid. Null: not yet. */
    counted: text().orNull(),
    /** What they count as arrived. Null: it has not, or is not counted yet. */
    returned: text().orNull(),
  },
  primary: ["withdrawalId"],
  sealedExcept: [],
});

export const RefundTotals = defineTable("refund_totals", {
  columns: {
    invoiceId: int(),
    network: text(),
    currency: text(),
    /** The sum of all refunds, also of those that failed or were cancelled. */
    asked: text(),
  },
  primary: ["invoiceId", "network", "currency"],
  sealedExcept: [],
});
export type RefundTotalRow = RowOf<typeof RefundTotals>;

/** On its page the payer says where to. */
export const RefundLinks = defineTable("refund_links", {
  columns: {
    id: int(),
    invoiceId: int(),
    accountId: int(),
    keyId: text(),
    tokenHash: text(),
    network: text(),
    currency: text(),
    amount: text(),
    createdAtMs: int(),
    expiresAtMs: int(),
    /** Null until it is used. */
    withdrawalId: int().orNull(),
    /** "user:7", or "cli"; null: a key. */
    madeBy: text().orNull(),
  },
  primary: ["id"],
  unique: { token: ["tokenHash"] },
  isSerial: true,
  sealedExcept: [],
});
export type RefundLinkRow = RowOf<typeof RefundLinks>;

export const REFUND_TABLES = [Refunds, RefundTotals, RefundLinks];
