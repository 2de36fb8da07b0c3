import assert from "node:assert/strict";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import {
  type DepositStep,
  moveDeposit,
  recordDepositEvent,
} from "../../../src/books/move_transaction.ts";
import { moveWithdrawal, type WithdrawalStep } from "../../../src/books/move_withdrawal.ts";
import { balanceRead } from "../../../src/books/records.ts";
import { Balances } from "../../../src/books/table.ts";
import { type TransactionRow, Transactions } from "../../../src/deposits/tables/transactions.ts";
import { settle } from "../../../src/invoices/judge_due.ts";
import type { InvoiceLook } from "../../../src/invoices/look.ts";
import { addUp, valueOf } from "../../../src/invoices/rules/judge.ts";
import { NO_SUMS } from "../../../src/invoices/rules/sums.ts";
import { type InvoiceRow, Invoices } from "../../../src/invoices/tables/invoices.ts";
import { Currencies, Networks } from "../../../src/networks/table.ts";
import { askForApproval } from "../../../src/policies/ask_for_approval.ts";
import type { PolicyRow } from "../../../src/policies/table.ts";
import { read, type View } from "../../../src/store/engine/workspace.ts";
import { Addresses, DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { EVENT_TYPES } from "../../../src/webhooks/rules/events.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { makeDatabase } from "../../store/databases.ts";
import {
  accountFields,
  makeAddress,
  makeApiKey,
  makeCurrency,
  makeNetwork,
  makeRequest,
  makeTransaction,
  makeWithdrawal,
} from "../../store/reads/make_rows.ts";

const AT_MS = Date.parse("2026-01-31T12:00:00Z");
const ASSET = { accountId: 1, network: "ETH", currency: "USDT" };
const GOLDEN = new URL("../../golden/", import.meta.url);

const deposit = makeTransaction({
  id: 1,
  ...ASSET,
  direction: "deposit",
  status: "detected",
  txHash: `0x${"ab".repeat(32)}`,
  toAddress: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "25.5",
  live: 1,
  blockNumber: 100,
  blockHash: "0xB",
  addressId: 1,
  depositRequestId: 1,
  isBelowMinimum: false,
  createdAtMs: AT_MS - 60_000,
});

const withdrawal = (id: number) =>
  makeWithdrawal({
    id,
    ...ASSET,
    clientReference: `order-${id}`,
    toAddress: "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    amount: "10",
    fee: "1",
    status: "pending",
    requestedAtMs: AT_MS - 30_000,
  });

/** The change, written by the interpreters that write it in production. */
const CHANGES: Readonly<Record<string, (view: View) => void>> = {
  "deposit.detected": (view) =>
    recordDepositEvent(view, {
      row: deposit,
      type: "deposit.detected",
      topHeight: 100,
      nowMs: AT_MS - 60_000,
    }),
  "deposit.confirmed": (view) => {
    const step: DepositStep = { trigger: "confirmed", topHeight: 111, nowMs: AT_MS };
    assert.ok(moveDeposit(view, { row: deposit, step }));
  },
  "withdrawal.broadcasted": (view) =>
    move(view, 1, { trigger: "sent", txHash: `0x${"cd".repeat(32)}` }),
  "withdrawal.confirmed": (view) => move(view, 1, { trigger: "confirmed" }),
  "withdrawal.failed": (view) => move(view, 2, { trigger: "broadcast_rejected" }),
  "withdrawal.approval_required": (view) => {
    const row = view.get(Withdrawals, [3]);
    askForApproval(view, {
      row,
      verdict: { outcome: "approve", matching: [POLICY] },
      asker: { person: null, ip: null },
    });
  },
  "withdrawal.cancelled": (view) => move(view, 3, { trigger: "rejected" }),
  "invoice.processing": (view) => judge(view, 1, { paid: deposit }),
  "invoice.paid": (view) => judge(view, 2, { paid: { ...deposit, status: "confirmed" } }),
  "invoice.underpaid": (view) =>
    judge(view, 3, { paid: { ...deposit, status: "confirmed", amount: "10" } }),
  "invoice.expired": (view) => judge(view, 4),
  "invoice.cancelled": (view) => judge(view, 5),
  "invoice.reversed": (view) => judge(view, 6),
};

const OPEN: Omit<InvoiceRow, "id"> = {
  ...{ accountId: 1, keyId: "k1", idempotencyKey: null, token: "", amount: "25", currency: "EUR" },
  tolerancePercent: "0.5",
  methods: [{ network: "ETH", currency: "USDT", decimals: 6, rate: "0.99", rateAtMs: AT_MS }],
  ...{ reference: "order-7", description: "Two tickets", customer: "customer-7" },
  ...{ metadata: { seat: "7a" }, redirectUrl: null, language: "de", status: "open" },
  ...{ expiresAtMs: AT_MS + 900_000, createdAtMs: AT_MS - 60_000, paidAtMs: null },
  ...{ cancelledAtMs: null, acceptedValue: null, judgeAtMs: 0, acceptedCoins: null },
  sums: NO_SUMS,
};

/** Before the change, by id. */
const INVOICES: readonly Partial<InvoiceRow>[] = [
  ...[{}, {}, { expiresAtMs: AT_MS }, { expiresAtMs: AT_MS }, { cancelledAtMs: AT_MS }],
  { status: "paid", paidAtMs: AT_MS },
];

const CATALOG = {
  network: () => undefined,
  currency: () => undefined,
} as unknown as InvoiceLook["catalog"];

function judge(view: View, id: number, { paid }: { paid?: TransactionRow } = {}): void {
  const row = view.get(Invoices, [id]);
  const given = { network: "ETH", addressId: 1, address: deposit.toAddress };
  const payments = (paid ? [paid] : []).map((row) => ({
    ...row,
    ...{ decimals: 6, paidAtMs: row.createdAtMs, laterRate: null },
  }));
  settle(view, {
    deps: { publicUrl: "https://pay.example.com", clock: { nowMs: () => AT_MS } },
    row,
    sums: { ...NO_SUMS, ...addUp(row, payments) },
    look: {
      sums: NO_SUMS,
      addresses: [{ ...given, invoiceId: id, depositRequestId: 1, allocatedAtMs: AT_MS - 60_000 }],
      chosen: [{ network: "ETH", currency: "USDT", address: deposit.toAddress, requestId: 1 }],
      payments: payments.map((payment) => ({
        ...{ row: payment, status: payment.status, value: valueOf(row, payment) },
      })),
      refunds: [],
      methodsNow: null,
      ...{ worlds: new Map(), heights: new Map([["ETH", 111]]) },
      catalog: CATALOG,
    },
  });
}

const POLICY: PolicyRow = {
  ...{ id: 1, label: "Two people", outcome: "approve", condition: "always", setBy: "operator" },
  ...{ accountId: null, keyId: null, network: null, currency: null, each: null, cap: null },
  ...{ approvals: 2, expiresMs: 1, isActive: true, isReady: true, meterId: null },
  ...{ meteredFromMs: null, createdAtMs: AT_MS, quote: null, rates: null },
};

function move(view: View, id: number, step: Pick<WithdrawalStep, "trigger" | "txHash">): void {
  assert.ok(moveWithdrawal(view, { id, step: { ...step, actor: "test", nowMs: AT_MS } }));
}

Deno.test("contract 4: each event equals its golden file, to the last field", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open({ clock: { nowMs: () => AT_MS } });
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(Accounts, { ...accountFields({ createdAtMs: AT_MS }), id: 1 });
      view.insertKeyed(Networks, makeNetwork("ETH", null));
      view.insertKeyed(Currencies, makeCurrency("USDT", "0xC"));
      view.insertKeyed(ApiKeys, makeApiKey({ keyId: "k1", permissions: [], revokedAtMs: null }));
      view.insertKeyed(Balances, { ...ASSET, balance: "100", held: "33" });
      view.insertKeyed(Addresses, makeAddress({ id: 1, accountId: 1, userIdentifier: "user-7" }));
      view.insertKeyed(DepositRequests, makeRequest({ id: 1 }));
      view.insertKeyed(Transactions, deposit);
      view.insertKeyed(Withdrawals, withdrawal(1));
      view.insertKeyed(Withdrawals, withdrawal(2));
      view.insertKeyed(Withdrawals, withdrawal(3));
      INVOICES.forEach((change, i) => {
        view.insertKeyed(Invoices, { ...OPEN, id: i + 1, token: `t${i + 1}`, ...change });
      });
    },
  });
  assert.deepEqual(Object.keys(CHANGES), [...EVENT_TYPES]);
  for (const [type, change] of Object.entries(CHANGES)) {
    const reads = [
      read(Transactions, [1]),
      read(Addresses, [1]),
      read(Withdrawals, [1]),
      read(Withdrawals, [2]),
      read(Withdrawals, [3]),
      balanceRead(ASSET),
      ...INVOICES.map((_, i) => read(Invoices, [i + 1])),
    ];
    await db.write({ reads, decide: change });
    const [row] = await db.rows(Events, "ORDER BY id DESC LIMIT 1");
    const payload = row!.payload as { id: string; type: string };
    assert.equal(payload.type, type);
    assert.equal(payload.id, row!.eventId);
    const text = `${JSON.stringify({ ...payload, id: "evt_…" }, null, 2)}\n`;
    const file = new URL(`${type}.json`, GOLDEN);
    assert.equal(text, await Deno.readTextFile(file), file.pathname);
  }
});
