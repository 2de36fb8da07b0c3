export const EVENT_TYPES = [
  "deposit.detected",
  "deposit.confirmed",
  "withdrawal.broadcasted",
  "withdrawal.confirmed",
  "withdrawal.failed",
  "withdrawal.approval_required",
  "withdrawal.cancelled",
  "invoice.processing",
  "invoice.paid",
  "invoice.underpaid",
  "invoice.expired",
  "invoice.cancelled",
  "invoice.reversed",
] as const;

export type EventType = typeof EVENT_TYPES[number];
