import { z } from "zod";
import { INVOICE_STATUSES } from "../rules/status.ts";
import { TRANSACTION_STATUSES } from "../../deposits/rules/transaction_moves.ts";
import { WITHDRAWAL_STATUSES } from "../../withdrawals/rules/moves.ts";
import * as wire from "../../domain/wire.ts";

const InvoiceMethod = z.object({
  network: wire.Network,
  currency: wire.Currency,
  amount_decimal: wire.Amount.describe("Rounded up, so that paying it always suffices."),
  due_decimal: wire.Amount.describe(
    "What is still missing; from a minute after the end on, at the current price.",
  ),
  rate: wire.Amount.describe("The price of one coin in the invoice's currency, locked."),
  rate_at: wire.Time,
  address: z.string().nullable().meta({ description: "Null until this coin is chosen." }),
  payment_uri: z.string().nullable().meta({ description: "Asks a wallet for what is due." }),
  deposit_request_id: wire.Id.nullable(),
}).meta({ id: "InvoiceMethod" });

const ListedPayment = z.object({
  transaction_id: wire.Id,
  network: wire.Network,
  currency: wire.Currency,
  tx_hash: wire.TxHash,
  amount_decimal: wire.Amount,
  value: wire.Amount.nullable().describe(
    "In the invoice's currency. Null: there was no rate, and you decide whether to accept it.",
  ),
  confirmations: wire.Confirmations,
  status: z.enum(TRANSACTION_STATUSES),
  detected_at: wire.Time,
  confirmed_at: wire.Time.nullable(),
}).meta({ id: "InvoicePayment" });

const Refund = z.object({
  withdrawal_id: wire.Id,
  network: wire.Network,
  currency: wire.Currency,
  amount: wire.Amount,
  status: z.enum(WITHDRAWAL_STATUSES),
}).meta({ id: "InvoiceRefund" });

export const Invoice = z.object({
  invoice_id: z.int().min(0).meta({ description: "0 in samples." }),
  status: z.enum(INVOICE_STATUSES),
  amount: wire.Amount,
  currency: z.string(),
  paid: wire.Amount.describe("The value of payments that were seen, confirmed or not."),
  confirmed: wire.Amount.describe("The value of those that are confirmed and credited."),
  due: wire.Amount.describe("What is still missing, never below 0."),
  overpaid: wire.Amount,
  is_late: z.boolean().meta({
    description: "Whether a payment after the grace period was needed.",
  }),
  tolerance_percent: wire.Amount,
  test: z.boolean().meta({
    description: "It takes coins of test networks, which are worth nothing",
  }),
  language: z.string(),
  reference: z.string().nullable(),
  description: z.string().nullable(),
  customer: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  redirect_url: z.string().nullable(),
  url: z.string().meta({ description: "The payer's page." }),
  methods: z.array(InvoiceMethod),
  payments: z.array(ListedPayment).meta({
    description: "Those worth most, the oldest first. All of them count.",
  }),
  payments_count: z.int().min(0).meta({ description: "How many there are, listed or not." }),
  refunds: z.array(Refund).meta({ description: "The newest ones, the oldest of them first." }),
  refunds_count: z.int().min(0).meta({
    description: "How many there are, listed or not, paid or not.",
  }),
  expires_at: wire.Time,
  created_at: wire.Time,
  paid_at: wire.Time.nullable(),
  cancelled_at: wire.Time.nullable(),
}).meta({ id: "Invoice" });

export const INVOICE_EXAMPLE: z.input<typeof Invoice> = {
  invoice_id: 5,
  status: "open",
  amount: "25",
  currency: "EUR",
  paid: "0",
  confirmed: "0",
  due: "25",
  overpaid: "0",
  is_late: false,
  tolerance_percent: "0.5",
  test: false,
  language: "en",
  reference: "order-7",
  description: "Two tickets",
  customer: null,
  metadata: {},
  redirect_url: "https://shop.example.com/thanks",
  url: "https://pay.example.com/pay/mZ2nXcQ1vY8rT4wKpL0aBg",
  methods: [{
    network: "ETH",
    currency: "ETH",
    amount_decimal: "0.01",
    due_decimal: "0.01",
    rate: "2500",
    rate_at: "2026-01-31T11:59:48+00:00",
    address: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    payment_uri: "ethereum:0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC@1?value=10000000000000000",
    deposit_request_id: 17,
  }],
  payments: [],
  payments_count: 0,
  refunds: [],
  refunds_count: 0,
  expires_at: "2026-01-31T12:15:00+00:00",
  created_at: "2026-01-31T12:00:00+00:00",
  paid_at: null,
  cancelled_at: null,
};
