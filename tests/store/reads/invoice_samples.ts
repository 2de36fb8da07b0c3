import { NO_SUMS } from "../../../src/invoices/rules/sums.ts";
import { CheckoutLogos, Checkouts } from "../../../src/checkout/table.ts";
import {
  InvoiceAddresses,
  InvoicePayments,
  Invoices,
} from "../../../src/invoices/tables/invoices.ts";
import { RefundLinks, Refunds, RefundTotals } from "../../../src/refunds/table.ts";
import { PaymentLinks } from "../../../src/invoices/tables/payment_links.ts";
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
      acceptedCoins: { "ETH/ETH": "1.5" },
      // The payment below marks the first one.
      judgeAtMs: i === 0 ? 0 : NOW_MS,
      sums: { ...NO_SUMS, listed: [{ id: 1, status: "confirmed" }], refunded: { "ETH/ETH": "1" } },
    },
  })),
  {
    table: Invoices,
    row: {
      ...{ id: 1_000, ...TERMS, idempotencyKey: null, token: "least", methods: [] },
      ...{ reference: null, description: null, customer: null, metadata: {}, redirectUrl: null },
      ...{ language: null, status: "open", paidAtMs: null, cancelledAtMs: null },
      ...{ acceptedValue: null, judgeAtMs: null, acceptedCoins: null, sums: null },
    },
  },
  {
    table: Checkouts,
    row: {
      ...{ accountId: 1, expiresInS: 900, tolerancePercent: "0.5", digits: 6 },
      ...{ name: HARD_TEXTS[0], colour: "#1b57d6", logoHash: "ab" },
    },
  },
  { table: CheckoutLogos, row: { accountId: 1, mediaType: "image/png", body: "AA==" } },
  {
    table: InvoiceAddresses,
    row: {
      ...{ invoiceId: 1, network: "ETH", addressId: 1, address: "0xabc", depositRequestId: 1 },
      allocatedAtMs: NOW_MS,
    },
  },
];

const LINK = {
  ...{ accountId: 1, keyId: "k1", currency: "EUR", createdAtMs: NOW_MS },
};

export const PAYMENT_LINK_SAMPLES: readonly Sample[] = [
  {
    ...{ id: 1, ...LINK, idempotencyKey: "1e5", slug: "s1", title: HARD_TEXTS[0]!, amount: "7" },
    ...{ min: null, max: null, redirectUrl: null, deactivatedAtMs: NOW_MS },
  },
  {
    ...{ id: 2, ...LINK, idempotencyKey: null, slug: "s2", title: HARD_TEXTS[1]!, amount: null },
    ...{ min: "0.5", max: LONG_AMOUNT, redirectUrl: HARD_TEXTS[2]!, deactivatedAtMs: null },
  },
].map((row) => ({ table: PaymentLinks, row }));

export const INVOICE_PAYMENT_SAMPLES: readonly Sample[] = [
  { laterRate: "0.9", ratedAtMs: NOW_MS, isWorthless: null, testChanges: 1 },
  { laterRate: null, ratedAtMs: null, isWorthless: true, testChanges: null },
].map((rate, i) => ({
  table: InvoicePayments,
  row: { id: i + 1, invoiceId: 1, transactionId: i + 1, ...rate },
}));

const COIN = { network: "ETH", currency: "USDT" };
const OFFER = {
  ...{ invoiceId: 1, accountId: 1, keyId: "k1", ...COIN, amount: LONG_AMOUNT },
  ...{ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 },
};

export const REFUND_SAMPLES: readonly Sample[] = [
  {
    table: Refunds,
    row: { withdrawalId: 1, invoiceId: 1, counted: LONG_AMOUNT, returned: LONG_AMOUNT },
  },
  { table: RefundTotals, row: { invoiceId: 1, ...COIN, asked: LONG_AMOUNT } },
  {
    table: RefundLinks,
    row: { id: 1, ...OFFER, tokenHash: "h1", withdrawalId: 1, madeBy: "user:7" },
  },
  {
    table: RefundLinks,
    row: { id: 2, ...OFFER, tokenHash: "h2", withdrawalId: null, madeBy: null },
  },
];
