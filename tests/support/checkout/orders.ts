import { NO_SUMS } from "../../../src/invoices/rules/sums.ts";
import type { CoinChoice, Order } from "../../../src/pay/order.ts";
import type { InvoiceRow } from "../../../src/invoices/tables/invoices.ts";

const END_MS = Date.parse("2026-01-31T12:15:00Z");
const ADDRESS = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const URI = `ethereum:${ADDRESS}@1?value=10000000000000000`;

const ROW: InvoiceRow = {
  ...{ id: 7, accountId: 1, keyId: "key", idempotencyKey: null, token: "A".repeat(22) },
  ...{ amount: "25", currency: "EUR", tolerancePercent: "0.5", methods: [] },
  ...{ reference: null, description: "Two tickets", customer: null, metadata: {} },
  ...{ redirectUrl: "https://shop.example/thanks", language: null, status: "open" },
  ...{ expiresAtMs: END_MS, createdAtMs: END_MS - 900_000, paidAtMs: null, cancelledAtMs: null },
  ...{ acceptedValue: null, acceptedCoins: null, judgeAtMs: null },
  sums: NO_SUMS,
};

export const COIN: CoinChoice = {
  ...{ id: "ETH.ETH", coin: "ETH", networkCode: "ETH", network: "Ethereum" },
  due: "0.01",
  ...{ isCheap: false, isChosen: false },
  target: {
    address: ADDRESS,
    uri: URI,
    inCode: { address: ADDRESS, uri: URI },
    wallet: {
      ...{ chainId: "0x1", to: ADDRESS, value: "0x2386f26fc10000", data: "0x" },
      link: `https://metamask.app.link/send/${URI.slice("ethereum:".length)}`,
    },
  },
};
const CHEAP: CoinChoice = {
  ...{ ...COIN, id: "ARBITRUM.USDT", coin: "USDT", due: "27.172913" },
  ...{ networkCode: "ARBITRUM", network: "Arbitrum" },
  ...{ isCheap: true, target: null },
};

const ORDER: Order = {
  ...{ row: ROW, name: "Acme", brand: { colour: null, hasLogo: false } },
  ...{
    status: "open",
    isCoin: false,
    refunded: undefined,
    paid: "0",
    due: "25",
    overpaid: "0",
    isUnrated: false,
    isLate: false,
  },
  isTest: false,
  ...{ coins: [COIN, CHEAP], nowMs: END_MS - 600_000 },
  ...{ payments: [], others: 0, refunds: [], hasOlderRefunds: false },
};

const payment = {
  ...{ id: COIN.id, url: `https://etherscan.io/tx/0x${"5c".repeat(32)}` },
  ...{
    txHash: `0x${"5c".repeat(32)}`,
    coin: "ETH",
    network: "Ethereum",
    amount: "0.01",
    atMs: END_MS - 500_000,
  },
  ...{ confirmations: 2, needed: 12 },
};
const refund = {
  url: `https://etherscan.io/tx/0x${"7a".repeat(32)}`,
  ...{
    txHash: `0x${"7a".repeat(32)}`,
    coin: "ETH",
    network: "Ethereum",
    amount: "0.004",
    atMs: END_MS - 300_000,
  },
};
const late = { nowMs: END_MS + 100_000, isLate: true };

/** What payers see in each state, with the coin that they chose. */
export const ORDERS: Readonly<Record<string, readonly [Order, chosen: string | null]>> = {
  choosing: [ORDER, null],
  open: [ORDER, COIN.id],
  partly: [{ ...ORDER, paid: "10.5000002", due: "14.4999998", payments: [payment] }, COIN.id],
  processing: [{ ...ORDER, status: "processing", paid: "25", due: "0", payments: [payment] }, null],
  paid: [paidOrder(), null],
  "refunded-often": [
    {
      ...{ ...paidOrder(), refunded: "partly refunded" },
      ...{ payments: Array(100).fill(payment), others: 200 },
      ...{ refunds: Array(10).fill(refund), hasOlderRefunds: true },
    },
    null,
  ],
  "paid-often": [{ ...paidOrder(), payments: Array(20).fill(payment), others: 280 }, null],
  "paid-often-whole": [{ ...paidOrder(), payments: Array(100).fill(payment), others: 200 }, null],
  overpaid: [{ ...paidOrder(), paid: "30", overpaid: "5" }, null],
  underpaid: [
    { ...ORDER, ...late, status: "underpaid", paid: "10.5000002", due: "14.4999998" },
    COIN.id,
  ],
  unrated: [{ ...ORDER, ...late, status: "underpaid", isUnrated: true }, COIN.id],
  refunded: [
    { ...paidOrder(), refunded: "refunded", refunds: [{ ...refund, amount: "0.01" }] },
    null,
  ],
  "partly-refunded": [
    { ...paidOrder(), refunded: "partly refunded", refunds: [refund] },
    null,
  ],
  "underpaid-refunded": [
    {
      ...{ ...ORDER, ...late, status: "underpaid", paid: "10", due: "15" },
      ...{ refunded: "refunded", payments: [payment], refunds: [refund] },
    },
    COIN.id,
  ],
  expired: [{ ...ORDER, ...late, status: "expired" }, null],
  cancelled: [{ ...ORDER, status: "cancelled" }, null],
  "cancelled-partly": [
    { ...ORDER, status: "cancelled", paid: "10.5000002", due: "14.4999998" },
    null,
  ],
  impossible: [{ ...ORDER, coins: [] }, null],
};

function paidOrder(): Order {
  const row = { ...ROW, paidAtMs: END_MS - 400_000 };
  return { ...ORDER, row, status: "paid", paid: "25", due: "0", payments: [payment] };
}
