import { defineTable } from "./table.ts";

export interface AuditRow {
  readonly id: number;
  readonly atMs: number;
  readonly actor: string;
  /** Where it came from, null: not over the network. */
  readonly ip: string | null;
  readonly action: string;
  readonly subject: string;
  readonly detail: unknown;
  /** The store's to give; null in rows older than the chain. */
  readonly hash: string | null;
}

export const AuditLog = defineTable<AuditRow>("audit_log", {
  columns: {
    id: "int",
    atMs: "int",
    actor: "text",
    ip: "text",
    action: "text",
    subject: "text",
    detail: "json",
    hash: "text",
  },
  primary: ["id"],
  isSerial: true,
  isChained: true,
});
