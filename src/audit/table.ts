import { defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

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
/** Every payout writes them, so the index by action leaves them out: they are easy to find. */
export const FREQUENT_ACTIONS = [
  "withdrawal.requested",
  "withdrawal.signed",
  "withdrawal.sent",
  "withdrawal.confirmed",
] as const;

/** Exactly as in the index by action. The first is compared alone when a payout is requested. */
export const RARE_ACTION = FREQUENT_ACTIONS.map((action) => `action <> '${action}'`).join(" AND ");

/** Exactly as in the index that finds them: another action takes a migration that makes it again. */
export const SINGLE_WORD = `action NOT GLOB 'withdrawal.*'
  AND action IN ('account.currency_enabled', 'invoice.refunded')`;
export const SUSPENSION = `action NOT GLOB 'withdrawal.*'
  AND action IN ('account.suspended', 'account.unsuspended')`;
export type AuditRow = RowOf<typeof AuditLog>;
