import type { LedgerKind } from "../domain/money/balance.ts";
import type { FreezeCode } from "../domain/reason_codes.ts";
import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

export const Balances = defineTable("balances", {
  columns: {
    accountId: int(),
    network: text(),
    currency: text(),
    balance: text(),
    held: text(),
  },
  primary: ["accountId", "network", "currency"],
  isSummed: true,
  sealedExcept: [],
});
export type BalanceRow = RowOf<typeof Balances>;
export type BalanceKey = Pick<BalanceRow, "accountId" | "network" | "currency">;

export const Freezes = defineTable("freezes", {
  columns: {
    accountId: int(),
    network: text(),
    currency: text(),
    /** For people. */
    reason: text(),
    createdAtMs: int(),
    code: text<FreezeCode>(),
  },
  primary: ["accountId", "network", "currency"],
});
export type FreezeRow = RowOf<typeof Freezes>;

export const LedgerChecks = defineTable("ledger_checks", {
  columns: {
    accountId: int(),
    network: text(),
    currency: text(),
    entryId: int(),
    balance: text(),
    held: text(),
  },
  primary: ["accountId", "network", "currency"],
  sealedExcept: [],
});
export type LedgerCheckRow = RowOf<typeof LedgerChecks>;

export const LedgerEntries = defineTable("ledger_entries", {
  columns: {
    id: int(),
    accountId: int(),
    network: text(),
    currency: text(),
    kind: text<LedgerKind>(),
    amount: text(),
    balanceAfter: text(),
    heldAfter: text(),
    transactionId: int().orNull(),
    withdrawalId: int().orNull(),
    note: text().orNull(),
    createdAtMs: int(),
    /** What the amount was worth then. Both null: the account reported in none, or had no rate. */
    value: text().orNull(),
    valueCurrency: text().orNull(),
  },
  primary: ["id"],
  unique: { transaction: ["transactionId", "kind"], withdrawal: ["withdrawalId", "kind"] },
  isSerial: true,
  sealedExcept: [],
});
export type LedgerEntryRow = RowOf<typeof LedgerEntries>;

/** What a manual entry booked under its reference. */
export const AdjustmentReferences = defineTable("adjustment_references", {
  columns: {
    accountId: int(),
    reference: text(),
    network: text(),
    currency: text(),
    amount: text(),
    balanceAfter: text(),
    heldAfter: text(),
    createdAtMs: int(),
  },
  primary: ["accountId", "reference"],
});
export type AdjustmentReferenceRow = RowOf<typeof AdjustmentReferences>;
