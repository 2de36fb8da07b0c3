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

const CAUSED_BY_PAYERS: ReadonlySet<EventType> = new Set([
  "deposit.detected",
  "deposit.confirmed",
  "invoice.processing",
  "invoice.paid",
  "invoice.underpaid",
  "invoice.expired",
  "invoice.reversed",
]);

/** By payers, visitors or the clock, and not by anybody of the account. */
export function isCausedByPayers(type: EventType): boolean {
  return CAUSED_BY_PAYERS.has(type);
}
