import { defineTable, int, json, type RowOf, text } from "./table.ts";

export const AuditLog = defineTable("audit_log", {
  columns: {
    id: int(),
    atMs: int(),
    actor: text(),
    /** Null: not over the network. */
    ip: text().orNull(),
    action: text(),
    subject: text(),
    detail: json<Readonly<Record<string, unknown>>>(),
    /** Set by the store; null in rows older than the chain. */
    hash: text().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  isChained: true,
});
export type AuditRow = RowOf<typeof AuditLog>;
