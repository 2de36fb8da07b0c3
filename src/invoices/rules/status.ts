import type { EventType } from "../../webhooks/rules/events.ts";

export const INVOICE_STATUSES = [
  "open",
  "processing",
  "paid",
  "underpaid",
  "expired",
  "cancelled",
] as const;
export type InvoiceStatus = typeof INVOICE_STATUSES[number];

interface Traits {
  /** What reports that an invoice got this status. */
  readonly event: EventType | undefined;
  /** Nobody can extend or accept it any more. */
  readonly isFinal: boolean;
  /** The payer's page asks for what is missing. */
  readonly isPayable: boolean;
}

const TRAITS: Readonly<Record<InvoiceStatus, Traits>> = {
  open: { event: undefined, isFinal: false, isPayable: true },
  processing: { event: "invoice.processing", isFinal: false, isPayable: false },
  paid: { event: "invoice.paid", isFinal: true, isPayable: false },
  underpaid: { event: "invoice.underpaid", isFinal: false, isPayable: true },
  expired: { event: "invoice.expired", isFinal: false, isPayable: false },
  cancelled: { event: "invoice.cancelled", isFinal: true, isPayable: false },
};

export function isFinalStatus(status: InvoiceStatus): boolean {
  return TRAITS[status].isFinal;
}

export function isPayable(status: InvoiceStatus): boolean {
  return TRAITS[status].isPayable;
}

/** What a change of status is reported as. */
export function invoiceEvent(from: InvoiceStatus, to: InvoiceStatus): EventType | undefined {
  if (from === to) return undefined;
  return from === "paid" ? "invoice.reversed" : TRAITS[to].event;
}
