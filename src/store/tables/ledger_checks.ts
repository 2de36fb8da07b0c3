import type * as rows from "./rows.ts";
import { defineTable } from "./table.ts";

export const LedgerChecks = defineTable<rows.LedgerCheckRow>("ledger_checks", {
  columns: {
    accountId: "int",
    network: "text",
    currency: "text",
    entryId: "int",
    balance: "text",
    held: "text",
  },
  primary: ["accountId", "network", "currency"],
  unguarded: [],
});
