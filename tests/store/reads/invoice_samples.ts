import {
  InvoiceAddresses,
  InvoicePayments,
  Invoices,
} from "../../../src/store/tables/checkout/invoices.ts";
import type { AnyRow, Table } from "../../../src/store/tables/table.ts";
import { HARD_TEXTS, LONG_AMOUNT, NOW_MS } from "./make_rows.ts";

interface Sample {
  readonly table: Table<AnyRow>;
  readonly row: AnyRow;
}

const TERMS = {
  ...{ accountId: 1, keyId: "k1", amount: LONG_AMOUNT, currency: "EUR", tolerancePercent: "0.5" },
  ...{ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 },
};

export const INVOICE_SAMPLES: readonly Sample[] = [
  ...HARD_TEXTS.map((text, i) => ({
    table: Invoices,
    row: {
      ...{ id: i + 1, ...TERMS, idempotencyKey: `i${i}`, token: `t${i}` },
      methods: [{ network: "ETH", currency: "USDT", decimals: 6, rate: "0.9", rateAtMs: NOW_MS }],
      ...{ reference: text, description: text, customer: text, metadata: { a: text } },
      ...{ redirectUrl: "https://shop.example/", language: "de", status: "paid" },
      ...{ paidAtMs: NOW_MS, cancelledAtMs: NOW_MS, acceptedValue: "1.5" },
      // The payment below marks the first one.
      judgeAtMs: i === 0 ? 0 : NOW_MS,
    },
  })),
  {
    table: Invoices,
    row: {
      ...{ id: 1_000, ...TERMS, idempotencyKey: null, token: "least", methods: [] },
      ...{ reference: null, description: null, customer: null, metadata: {}, redirectUrl: null },
      ...{ language: null, status: "open", paidAtMs: null, cancelledAtMs: null },
      ...{ acceptedValue: null, judgeAtMs: null },
    },
  },
  {
    table: InvoiceAddresses,
    row: {
      ...{ invoiceId: 1, network: "ETH", addressId: 1, address: "0xabc", depositRequestId: 1 },
      allocatedAtMs: NOW_MS,
    },
  },
];

export const INVOICE_PAYMENT_SAMPLES: readonly Sample[] = [
  { laterRate: "0.9", ratedAtMs: NOW_MS },
  { laterRate: null, ratedAtMs: null },
].map((rate, i) => ({
  table: InvoicePayments,
  row: { id: i + 1, invoiceId: 1, transactionId: i + 1, ...rate },
}));
