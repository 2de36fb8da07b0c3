import { z } from "zod";
import { FAILURE_REASONS } from "../../withdrawals/rules/moves.ts";
import { DEPOSIT_EVENT } from "../../deposits/rules/fields.ts";
import { EVENT_TYPES, type EventType } from "../../webhooks/rules/events.ts";
import { Invoice } from "../../invoices/api/schemas.ts";
import { WITHDRAWAL } from "../../withdrawals/rules/fields.ts";
import * as wire from "../../domain/wire.ts";

const DepositEvent = DEPOSIT_EVENT.schema.meta({ id: "DepositEvent" });

const WithdrawalEvent = WITHDRAWAL.schema.extend({
  id: z.int().min(0).meta({ description: "0 in samples." }),
  client_reference: z.string().nullable(),
})
  .meta({ id: "WithdrawalEvent" });

const FailedWithdrawalEvent = WithdrawalEvent.extend({ reason: z.enum(FAILURE_REASONS) })
  .meta({ id: "FailedWithdrawalEvent" });

const CancelledWithdrawalEvent = WithdrawalEvent.extend({
  reason: z.enum(["rejected", "expired", "cancelled"]).meta({
    description:
      "`rejected`: somebody decided against it; `expired`: too few approved it in time; `cancelled`: an operator took it back.",
  }),
}).meta({ id: "CancelledWithdrawalEvent" });

interface EventDescription {
  readonly summary: string;
  readonly data: z.ZodType;
}

export const EVENTS: Readonly<Record<EventType, EventDescription>> = {
  "deposit.detected": { summary: "A payment to a deposit address was seen", data: DepositEvent },
  "deposit.confirmed": { summary: "A deposit was credited", data: DepositEvent },
  "withdrawal.broadcasted": { summary: "A withdrawal was sent", data: WithdrawalEvent },
  "withdrawal.confirmed": { summary: "A withdrawal was paid", data: WithdrawalEvent },
  "withdrawal.failed": {
    summary: "A withdrawal failed, and its hold was released",
    data: FailedWithdrawalEvent,
  },
  "withdrawal.approval_required": {
    summary: "A withdrawal waits for somebody's approval, and its money is held",
    data: WithdrawalEvent,
  },
  "withdrawal.cancelled": {
    summary: "A withdrawal will not be paid, and its hold was released",
    data: CancelledWithdrawalEvent,
  },
  "invoice.processing": {
    summary: "Payments that were seen cover an invoice, and wait for confirmations",
    data: Invoice,
  },
  "invoice.paid": { summary: "An invoice is paid: deliver", data: Invoice },
  "invoice.underpaid": { summary: "An invoice expired with only a part paid", data: Invoice },
  "invoice.expired": { summary: "An invoice expired without a payment", data: Invoice },
  "invoice.cancelled": { summary: "An invoice was cancelled", data: Invoice },
  "invoice.reversed": {
    summary: "A credit was taken back, and its invoice is no longer paid",
    data: Invoice,
  },
};

/** The bodies of webhooks' requests. */
export const ENVELOPES = Object.fromEntries(EVENT_TYPES.map((type) => [type, envelope(type)])) as {
  readonly [T in EventType]: ReturnType<typeof envelope>;
};

function envelope(type: EventType) {
  return z.object({
    id: z.string().meta({ description: "The same on every retry." }),
    type: z.literal(type),
    timestamp: wire.Time,
    data: EVENTS[type].data,
    sample: z.literal(true).optional().meta({
      description: "Only in samples, which don't report anything real.",
    }),
  }).meta({ id: `${type.replace(/(?:^|[._])(\w)/g, (_, letter) => letter.toUpperCase())}Event` });
}

export const WebhookEvent = z.union(Object.values(ENVELOPES)).meta({ id: "WebhookEvent" });
