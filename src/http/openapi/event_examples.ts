import { DEPOSIT_EVENT, EXAMPLE as DEPOSIT } from "../../deposits/rules/fields.ts";
import type { EventType } from "../../webhooks/rules/events.ts";
import { INVOICE_EXAMPLE } from "../../invoices/api/schemas.ts";
import { EXAMPLE, WITHDRAWAL } from "../../withdrawals/rules/fields.ts";

export const EVENT_ID = "evt_c29tZSBieXRlcyBvZiBhbiBpZA";

interface EventExample {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: object;
}

/** What a webhook receives when such a thing happens. */
export function exampleEvent(type: EventType): EventExample {
  const [time, data] = EXAMPLES[type];
  return { id: EVENT_ID, type, timestamp: `2026-01-31T${time}+00:00`, data };
}

const DETECTED = DEPOSIT_EVENT.of(DEPOSIT);
const CREDITED = {
  ...DETECTED,
  confirmations: 14,
  status: "confirmed",
  confirmed_at: "2026-01-31T12:06:35+00:00",
};

const CONFIRMED = WITHDRAWAL.of(EXAMPLE);
const UNSENT = { ...EXAMPLE, txHash: null, broadcastAtMs: null, confirmedAtMs: null };
const SENT = WITHDRAWAL.of({ ...EXAMPLE, status: "broadcasted", confirmedAtMs: null });
const PENDING = WITHDRAWAL.of({ ...UNSENT, status: "pending" });
const REFUSED = {
  ...WITHDRAWAL.of({ ...UNSENT, status: "failed", errorMessage: "broadcast_rejected" }),
  reason: "broadcast_rejected",
};
const REJECTED = { ...WITHDRAWAL.of({ ...UNSENT, status: "cancelled" }), reason: "rejected" };

/** What its payer still has to send. */
function toSend(due_decimal: string, raw: string): object[] {
  return INVOICE_EXAMPLE.methods.map((method) => {
    const payment_uri = `ethereum:${method.address}@1?value=${raw}`;
    return { ...method, due_decimal, payment_uri };
  });
}

const SEEN = {
  transaction_id: 4712,
  network: "ETH",
  currency: "ETH",
  tx_hash: "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
  amount_decimal: "0.01",
  value: "25",
  confirmations: 1,
  status: "detected",
  detected_at: "2026-01-31T12:04:11+00:00",
  confirmed_at: null,
};
const PROCESSING = {
  ...INVOICE_EXAMPLE,
  ...{ status: "processing", paid: "25", due: "0" },
  methods: toSend("0", "0"),
  payments: [SEEN],
};
const COUNTED = {
  ...SEEN,
  confirmations: 14,
  status: "confirmed",
  confirmed_at: "2026-01-31T12:06:35+00:00",
};
const PAID = {
  ...PROCESSING,
  ...{ status: "paid", confirmed: "25", paid_at: "2026-01-31T12:06:35+00:00" },
  payments: [COUNTED],
};
const UNDERPAID = {
  ...INVOICE_EXAMPLE,
  ...{ status: "underpaid", paid: "5", confirmed: "5", due: "20" },
  methods: toSend("0.008", "8000000000000000"),
  payments: [{ ...COUNTED, amount_decimal: "0.002", value: "5" }],
};

const EXAMPLES: Readonly<Record<EventType, readonly [time: string, data: object]>> = {
  "deposit.detected": ["12:04:11", DETECTED],
  "deposit.confirmed": ["12:06:35", CREDITED],
  "withdrawal.broadcasted": ["12:00:01", SENT],
  "withdrawal.confirmed": ["12:02:37", CONFIRMED],
  "withdrawal.failed": ["12:00:01", REFUSED],
  "withdrawal.approval_required": ["12:00:00", PENDING],
  "withdrawal.cancelled": ["12:00:30", REJECTED],
  "invoice.processing": ["12:04:11", PROCESSING],
  "invoice.paid": ["12:06:35", PAID],
  "invoice.underpaid": ["12:15:00", UNDERPAID],
  "invoice.expired": ["12:15:00", { ...INVOICE_EXAMPLE, status: "expired" }],
  "invoice.cancelled": ["12:05:00", {
    ...INVOICE_EXAMPLE,
    ...{ status: "cancelled", cancelled_at: "2026-01-31T12:05:00+00:00" },
  }],
  "invoice.reversed": ["12:09:20", {
    ...INVOICE_EXAMPLE,
    payments: [{ ...COUNTED, confirmations: 0, status: "failed" }],
  }],
};
