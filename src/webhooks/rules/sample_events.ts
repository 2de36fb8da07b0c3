import type { InvoiceStatus } from "../../invoices/rules/status.ts";
import { isoUtc } from "../../domain/time.ts";
import type { EventType } from "./events.ts";
import {
  DEPOSIT_EVENT,
  type DepositFacts,
  EXAMPLE as DEPOSIT,
} from "../../deposits/rules/fields.ts";
import { EXAMPLE, WITHDRAWAL, type WithdrawalFacts } from "../../withdrawals/rules/fields.ts";

/** Nobody has its key, and no customer is ever given it. */
const NOWHERE = `0x${"0".repeat(40)}`;
const NO_TX = `0x${"0".repeat(64)}`;
const COIN = { network: "ETH", currency: "ETH" };

const SAMPLES: Readonly<Record<EventType, (nowMs: number) => object>> = {
  "deposit.detected": (nowMs) => deposit("detected", nowMs),
  "deposit.confirmed": (nowMs) => deposit("confirmed", nowMs),
  "withdrawal.broadcasted": (nowMs) =>
    withdrawal({ status: "broadcasted", txHash: NO_TX, broadcastAtMs: nowMs }, nowMs),
  "withdrawal.confirmed": (nowMs) =>
    withdrawal(
      { status: "confirmed", txHash: NO_TX, broadcastAtMs: nowMs, confirmedAtMs: nowMs },
      nowMs,
    ),
  "withdrawal.failed": (nowMs) => ({
    ...withdrawal({ status: "failed", errorMessage: "broadcast_rejected" }, nowMs),
    reason: "broadcast_rejected",
  }),
  "withdrawal.approval_required": (nowMs) => withdrawal({ status: "pending" }, nowMs),
  "withdrawal.cancelled": (nowMs) => ({
    ...withdrawal({ status: "cancelled" }, nowMs),
    reason: "rejected",
  }),
  "invoice.processing": (nowMs) => invoice({ status: "processing", paid: "25" }, nowMs),
  "invoice.paid": (nowMs) => invoice({ status: "paid", paid: "25", confirmed: "25" }, nowMs),
  "invoice.underpaid": (nowMs) =>
    invoice({ status: "underpaid", paid: "5", confirmed: "5" }, nowMs),
  "invoice.expired": (nowMs) => invoice({ status: "expired" }, nowMs),
  "invoice.cancelled": (nowMs) => invoice({ status: "cancelled" }, nowMs),
  "invoice.reversed": (nowMs) => invoice({ status: "open" }, nowMs),
};

/** What an event of this type carries, about records that don't exist: their ids are 0. */
export function sampleData(type: EventType, nowMs: number): object {
  return SAMPLES[type](nowMs);
}

function deposit(status: DepositFacts["status"], nowMs: number): object {
  const isConfirmed = status === "confirmed";
  return DEPOSIT_EVENT.of({
    ...DEPOSIT,
    ...COIN,
    id: 0,
    requestId: null,
    userIdentifier: "sample",
    toAddress: NOWHERE,
    txHash: NO_TX,
    amount: "0.01",
    status,
    blockNumber: 0,
    confirmations: isConfirmed ? 12 : 0,
    createdAtMs: nowMs,
    confirmedAtMs: isConfirmed ? nowMs : null,
  });
}

function withdrawal(
  fields: Pick<WithdrawalFacts, "status"> & Partial<WithdrawalFacts>,
  nowMs: number,
): object {
  return WITHDRAWAL.of({
    ...EXAMPLE,
    ...COIN,
    id: 0,
    clientReference: "sample",
    toAddress: NOWHERE,
    amount: "0.01",
    fee: "0",
    txHash: null,
    requestedAtMs: nowMs,
    broadcastAtMs: null,
    confirmedAtMs: null,
    ...fields,
  });
}

function invoice(
  { status, paid = "0", confirmed = "0" }: {
    status: InvoiceStatus;
    paid?: string;
    confirmed?: string;
  },
  nowMs: number,
): object {
  const amount = "25";
  const now = isoUtc(nowMs);
  return {
    invoice_id: 0,
    ...{ status, amount, currency: "EUR", paid, confirmed },
    due: paid === "5" ? "20" : paid === amount ? "0" : amount,
    overpaid: "0",
    is_late: false,
    tolerance_percent: "0.5",
    test: false,
    language: "en",
    ...{ reference: "sample", description: null, customer: null, metadata: {} },
    redirect_url: null,
    url: "https://gateway.example/pay/sample",
    ...{ methods: [], payments: [], payments_count: 0, refunds: [], refunds_count: 0 },
    ...{ expires_at: now, created_at: now },
    paid_at: status === "paid" ? now : null,
    cancelled_at: status === "cancelled" ? now : null,
  };
}
