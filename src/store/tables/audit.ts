import { defineTable, int, json, type RowOf, text } from "./table.ts";

export const AuditLog = defineTable("audit_log", {
  columns: {
    id: int(),
    atMs: int(),
    actor: text(),
    /** Where it came from, null: not over the network. */
    ip: text().orNull(),
    action: text(),
    subject: text(),
    detail: json<unknown>(),
    /** The store's to give; null in rows older than the chain. */
    hash: text().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  isChained: true,
});
export type AuditRow = RowOf<typeof AuditLog>;
