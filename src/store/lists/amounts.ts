import { defineTable, int, text } from "../tables/table.ts";

/** What totals of a list are added up from. */
export interface AmountRow {
  readonly id: number;
  readonly network: string;
  readonly currency: string;
  readonly status: string;
  readonly amount: string;
}

const COLUMNS = { id: int(), network: text(), currency: text(), status: text(), amount: text() };

/** The same tables, of which only these columns are read. */
export const TransactionAmounts = defineTable("transactions", {
  columns: COLUMNS,
  primary: ["id"],
});
export const WithdrawalAmounts = defineTable("withdrawals", { columns: COLUMNS, primary: ["id"] });
/** An invoice isn't owed on any network yet. */
export const InvoiceAmounts = defineTable("invoices", {
  columns: { id: int(), currency: text(), status: text(), amount: text() },
  primary: ["id"],
});
