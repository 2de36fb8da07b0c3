import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** What people wrote about a payment, payout, invoice or customer. Never changed. */
export const Notes = defineTable("notes", {
  columns: {
    id: int(),
    accountId: int(),
    about: text<"deposit" | "withdrawal" | "invoice" | "customer">(),
    /** Its id, or what the account calls its customer. */
    name: text(),
    text: text(),
    /** As in the audit log. */
    author: text(),
    createdAtMs: int(),
  },
  primary: ["id"],
  isSerial: true,
});
export type NoteRow = RowOf<typeof Notes>;
export type NoteSubject = Pick<NoteRow, "accountId" | "about" | "name">;
