import type { NoticeTopic, ReceiverKind } from "../notifications/rules/notices.ts";
import type { Advice } from "../domain/advice.ts";
import { defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

export const Alerts = defineTable("alerts", {
  columns: {
    id: int(),
    kind: text(),
    subject: text(),
    message: text(),
    /** 1 until it is resolved, then null. */
    open: int<1>().orNull(),
    createdAtMs: int(),
    resolvedAtMs: int().orNull(),
    advice: json<Advice>().orNull(),
    /** Whom it concerns besides operators. */
    accountId: int().orNull(),
    /** When people were last notified that it is open. */
    noticedAtMs: int().orNull(),
  },
  primary: ["id"],
  unique: { open: ["kind", "subject", "open"] },
  isSerial: true,
});
export type AlertRow = RowOf<typeof Alerts>;

export const Notices = defineTable("notices", {
  columns: {
    id: int(),
    topic: text<NoticeTopic>(),
    /** Null: it concerns operators only. */
    accountId: int().orNull(),
    title: text(),
    text: text(),
    createdAtMs: int(),
  },
  primary: ["id"],
  isSerial: true,
});
export type NoticeRow = RowOf<typeof Notices>;

/** Binds a sealed secret to its row. */
export function noticeSecretContext(secretName: string): string {
  return `notice_receivers.secret:${secretName}`;
}

export const NoticeReceivers = defineTable("notice_receivers", {
  columns: {
    id: int(),
    kind: text<ReceiverKind>(),
    address: text(),
    /** Null: an operator's, for everything. */
    accountId: int().orNull(),
    topics: json<readonly NoticeTopic[]>(),
    secretName: text(),
    /** Only webhooks have one. */
    secretSealed: text().orNull(),
    /** The last notice that was delivered, or that doesn't concern this receiver. */
    readTo: int(),
    /** The last one of the message being sent; it stays until that message has arrived. */
    sendingTo: int().orNull(),
    failures: int(),
    failingSinceMs: int().orNull(),
    lastError: text().orNull(),
    nextTryAtMs: int(),
    createdAtMs: int(),
    /** Like `sendingTo`, once the decisions of that message have arrived; the rest is sent apart. */
    decidedTo: int().orNull(),
  },
  primary: ["id"],
  unique: { secret: ["secretName"] },
  encrypted: { secretSealed: ({ secretName }) => noticeSecretContext(secretName) },
  isSerial: true,
});
export type NoticeReceiverRow = RowOf<typeof NoticeReceivers>;
