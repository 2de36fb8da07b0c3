export const EVENT_TYPES = [
  "deposit.detected",
  "deposit.confirmed",
  "withdrawal.broadcasted",
  "withdrawal.confirmed",
  "withdrawal.failed",
  "withdrawal.approval_required",
  "withdrawal.cancelled",
] as const;

export type EventType = typeof EVENT_TYPES[number];
