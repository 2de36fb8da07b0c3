import type { Method } from "../rules/coins.ts";
import type { InvoiceSums } from "../rules/sums.ts";
import type { InvoiceStatus } from "../rules/status.ts";
import { bool, defineTable, int, json, type RowOf, text } from "../../store/tables/table.ts";

export const Invoices = defineTable("invoices", {
  columns: {
    id: int(),
    accountId: int(),
    keyId: text(),
    idempotencyKey: text().orNull(),
    /** In the payer's link, which is all it takes to see the page. */
    token: text(),
    amount: text(),
    currency: text(),
    tolerancePercent: text(),
    methods: json<readonly Method[]>(),
    reference: text().orNull(),
    description: text().orNull(),
    customer: text().orNull(),
    metadata: json<Readonly<Record<string, string>>>(),
    redirectUrl: text().orNull(),
    language: text().orNull(),
    status: text<InvoiceStatus>(),
    expiresAtMs: int(),
    createdAtMs: int(),
    paidAtMs: int().orNull(),
    cancelledAtMs: int().orNull(),
    /** What had been credited when the merchant accepted it as paid. */
    acceptedValue: text().orNull(),
    /** When it is looked at next; null: only once a payment comes or changes. */
    judgeAtMs: int().orNull(),
    /** What had been credited of each coin then, by network and currency. */
    acceptedCoins: json<Readonly<Record<string, string>>>().orNull(),
    /** Null: it is from before they were kept, and not added up yet. */
    sums: json<InvoiceSums>().orNull(),
  },
  primary: ["id"],
  unique: { token: ["token"], idempotency: ["keyId", "idempotencyKey"] },
  isSerial: true,
  // The database sets it when a payment changes.
  sealedExcept: ["judgeAtMs"],
});
export type InvoiceRow = RowOf<typeof Invoices>;

export const InvoiceAddresses = defineTable("invoice_addresses", {
  columns: {
    invoiceId: int(),
    network: text(),
    addressId: int(),
    address: text(),
    depositRequestId: int(),
    allocatedAtMs: int(),
  },
  primary: ["invoiceId", "network"],
  unique: { request: ["depositRequestId"] },
  sealedExcept: [],
});
export type InvoiceAddressRow = RowOf<typeof InvoiceAddresses>;

export const InvoicePayments = defineTable("invoice_payments", {
  columns: {
    id: int(),
    invoiceId: int(),
    transactionId: int(),
    laterRate: text().orNull(),
    /** When it was looked up; null: not yet. */
    ratedAtMs: int().orNull(),
    /** Coins of a test network, at an account that had real ones by then; null: no. */
    isWorthless: bool().orNull(),
    /** How often an operator had changed by then what its network's coins are; null: never. */
    testChanges: int().orNull(),
  },
  primary: ["id"],
  unique: { transaction: ["transactionId"] },
  isSerial: true,
  sealedExcept: [],
});
export type InvoicePaymentRow = RowOf<typeof InvoicePayments>;
