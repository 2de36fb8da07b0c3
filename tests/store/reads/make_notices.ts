import type { NoticeReceiverRow, NoticeRow } from "../../../src/alerts/table.ts";
import { NOW_MS, type Some } from "./make_rows.ts";

export function makeNotice(options: Some<NoticeRow>): NoticeRow {
  return {
    topic: "alerts",
    accountId: null,
    title: "t",
    text: "",
    createdAtMs: NOW_MS,
    ...options,
  };
}

export function makeReceiver(options: Some<NoticeReceiverRow>): NoticeReceiverRow {
  return {
    kind: "webhook",
    address: "https://ops.example.com",
    accountId: null,
    topics: ["alerts", "security"],
    secretName: `n${options.id}`,
    secretSealed: "v1.secret",
    readTo: 0,
    sendingTo: null,
    failures: 0,
    failingSinceMs: null,
    lastError: null,
    nextTryAtMs: 0,
    createdAtMs: NOW_MS,
    decidedTo: null,
    ...options,
  };
}
