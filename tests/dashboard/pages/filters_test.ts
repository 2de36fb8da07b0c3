import assert from "node:assert/strict";
import { recordAudit } from "../../../src/books/records.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { ALERT_KINDS } from "../../../src/alerts/rules/alert_kinds.ts";
import { SWEEP_STATES } from "../../../src/sweeps/rules/sweep_moves.ts";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../../../src/deposits/rules/transaction_moves.ts";
import { WITHDRAWAL_STATUSES } from "../../../src/withdrawals/rules/moves.ts";
import { type AlertRow, Alerts } from "../../../src/alerts/table.ts";
import { type SweepRow, Sweeps } from "../../../src/sweeps/table.ts";
import { isForOrder, TRANSACTIONS_LISTED } from "../../../src/deposits/reads/listed.ts";
import { isOfUser } from "../../../src/store/lists/addresses.ts";
import { type Fact, hasOne, rowsListed } from "../../../src/store/lists/listing.ts";
import { InvoicePayments, Invoices } from "../../../src/invoices/tables/invoices.ts";
import { type TransactionRow, Transactions } from "../../../src/deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../../../src/withdrawals/table.ts";
import type { AuditRow } from "../../../src/audit/table.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { makeLogin } from "../../support/dashboard/dashboard.ts";
import { enable, makeNetwork, makeToken, startGateway } from "../../support/gateway.ts";
import {
  makeAddress,
  makeSweep,
  makeTransaction,
  makeWithdrawal,
} from "../../store/reads/make_rows.ts";
import { assertFilters, type FilterCase } from "../filters.ts";

const ROWS = 240;
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.parse("2026-10-01T00:00:00Z");
const DAY_MS = 24 * HOUR_MS;
const ADDRESS = (n: number) => `0x${"0".repeat(38)}${String(10 + n)}`;
const ASSETS = [["ETH", "ETH"], ["ETH", "USDT"], ["BSC", "BNB"]] as const;

/** Reference and customer; the first customer has addresses, too. */
const ORDERS = [["1042", "User 0 & sons"], ["Order-7", "Ann"]] as const;

const pick = <T>(all: readonly T[], n: number): T => all[n % all.length]!;

/** Two accounts, two networks, and rows of every kind. */
async function startFilled() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const rpcUrls = ["http://127.0.0.1:1"];
  await makeNetwork(deps, { rpcUrls });
  await makeNetwork(deps, { rpcUrls, code: "BSC", symbol: "BNB", chainId: "56" });
  await makeToken(deps, { network: "ETH", contract: `0x${"ab".repeat(20)}` });
  const keys: string[] = [];
  for (const name of ["Acme", "Bolt"]) {
    const { id: accountId } = await createAccount(deps, { name, actor: "test" });
    for (const [network, currency] of ASSETS) await enable(deps, { accountId, network, currency });
    const limits = { permissions: [], ipList: [], rateLimit: 1 };
    const key = await createApiKey(deps, { accountId, label: name, ...limits, actor: "test" });
    keys.push(key.row.keyId);
  }
  await fill(deps, keys);
  const logins = {
    operator: await makeLogin(deps),
    merchant: await makeLogin(deps, { accountId: 1 }),
  };
  return { ...gateway, logins };
}

async function fill({ db }: Deps, keys: readonly string[]): Promise<void> {
  const addressIds = await db.write({
    reads: [],
    decide: (view) =>
      Array.from({ length: 8 }, (_, n) => {
        const own = { accountId: n % 2 + 1, network: n < 6 ? "ETH" : "BSC", keyIndex: 500 + n };
        const userIdentifier = n < 4 ? `user ${n}` : null;
        const row = makeAddress({
          id: 0,
          ...own,
          address: ADDRESS(n),
          userIdentifier,
        });
        return view.insert(Addresses, row).id;
      }),
  });
  const invoiceIds = await db.write({
    reads: [],
    decide: (view) =>
      ORDERS.flatMap(([reference, customer]) =>
        keys.map((keyId, n) => {
          const about = { reference, customer, description: null, metadata: {}, methods: [] };
          const row = {
            ...{ ...about, id: 0, accountId: n + 1, keyId, token: `${reference} ${n}` },
            ...{ amount: "1", currency: "ETH", tolerancePercent: "0", status: "paid" as const },
            ...{ createdAtMs: 1, expiresAtMs: 2, paidAtMs: 1, cancelledAtMs: null },
            ...{ acceptedValue: null, acceptedCoins: null, judgeAtMs: null, sums: null },
            ...{ idempotencyKey: null, redirectUrl: null, language: null },
          };
          return view.insert(Invoices, row).id;
        })
      ),
  });
  await db.write({
    reads: [],
    decide: (view) => {
      recordAudit(view, { actor: "test", action: "note.added", subject: "network:ETH", nowMs: 1 });
      for (let i = 0; i < ROWS; i++) {
        const accountId = pick([1, 1, 2], i);
        const [network, currency] = pick(ASSETS, Math.floor(i / 4));
        const direction = pick(DIRECTIONS, i);
        const addressOf = (n: number) => addressIds[n % 4 * 2 + accountId - 1]!;
        const isDeposit = direction === "deposit";
        const statuses = isDeposit
          ? TRANSACTION_STATUSES
          : ["detected", "confirmed", "failed"] as const;
        const status = pick(statuses, Math.floor(i / 3));
        const row = makeTransaction({
          ...{ id: 0, accountId, network, currency, direction, status, position: 0 },
          txHash: `0x${String(i).padStart(64, "0")}`,
          live: status === "failed" ? null : 1,
          addressId: isDeposit ? addressOf(i / 4) : null,
          ...{ depositRequestId: null, withdrawalId: null, sweepId: null },
          isBelowMinimum: isDeposit && i % 5 === 0,
          createdAtMs: FIRST_MS + i * HOUR_MS,
        });
        const { id: transactionId } = view.insert(Transactions, row);
        if (isDeposit && i % 7 < 3) {
          const invoiceId = invoiceIds[i % 2 * 2 + accountId - 1]!;
          const unrated = { laterRate: null, ratedAtMs: null, isWorthless: null };
          view.insert(InvoicePayments, {
            ...{ id: 0, invoiceId, transactionId, testChanges: null, ...unrated },
          });
        }
        const withdrawal = makeWithdrawal({
          ...{ id: 0, accountId, network, currency, keyId: keys[accountId - 1]! },
          status: pick(WITHDRAWAL_STATUSES, i),
          clientReference: `w${i}`,
          ...{ amount: "1", fee: "0", toAddress: ADDRESS(i % 7) },
        });
        view.insert(Withdrawals, withdrawal);
        const state = pick(SWEEP_STATES, Math.floor(i / 2));
        const sweep = makeSweep({
          ...{ id: 0, accountId, network, currency, state },
          addressId: addressOf(Math.floor(i / 7)),
          open: null,
        });
        view.insert(Sweeps, sweep);
        view.insert(Alerts, {
          ...{ kind: pick(ALERT_KINDS, i % 7), subject: `s${i}`, message: `alert ${i}` },
          ...i % 3 === 0
            ? { open: null, resolvedAtMs: 5 }
            : { open: 1 as const, resolvedAtMs: null },
          createdAtMs: i,
          advice: null,
          accountId: null,
          noticedAtMs: null,
        });
      }
    },
  });
}

const equal = <Row, Name extends keyof Row & string>(
  name: Name,
  values: readonly Row[Name][],
  query: string = name,
): FilterCase<Row>[] =>
  values.map((value) => ({
    query: { [query]: String(value) },
    holds: (row) => row[name] === value,
  }));

interface Asset {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
}

const assets = <Row extends Asset>(): FilterCase<Row>[] => [
  ...equal<Row, "network">("network", ["ETH", "BSC"] as Row["network"][]),
  ...equal<Row, "currency">("currency", ["ETH", "USDT", "BNB"] as Row["currency"][]),
];

/** Operators choose an account by its number. Merchants always get their own. */
const accounts = <Row extends Asset>(role: string): FilterCase<Row>[] =>
  ["1", " 2 ", "Acme"].map((account) => ({
    query: { account },
    holds: (row) => role === "merchant" || row.accountId === Number(account),
  }));

const newest = <Row extends { id: number }>(rows: readonly Row[]): Row[] => rows.toReversed();
const exported = (caption: string) => {
  const path = `/${caption.toLowerCase()}`;
  return { path, caption, exportPath: `${path}/export.csv` };
};
const idOf = ({ id }: { id: number }) => String(id);

const WHO = { operator: "an operator", merchant: "a merchant" };

for (const role of ["operator", "merchant"] as const) {
  const mayShow = ({ accountId }: { accountId: number }) => role === "operator" || accountId === 1;

  Deno.test(`every filter of deposits and transactions shows ${WHO[role]} exactly their rows, and exports them`, async () => {
    await using gateway = await startFilled();
    const { deps: { db }, url, logins } = gateway;
    const rows = newest(await db.rows(Transactions, "ORDER BY id")).filter(mayShow);
    const owned = await db.rows(Addresses, "ORDER BY id");
    const at = (text: string): FilterCase<TransactionRow> => {
      const ids = owned
        .filter((row) => row.address === text || row.userIdentifier === text)
        .map(({ id }) => id);
      return { query: { q: text }, holds: ({ addressId }) => ids.includes(addressId ?? -1) };
    };
    const payments = await db.rows(InvoicePayments, "");
    const invoices = await db.rows(Invoices, "");
    /** Of whom nobody else's texts begin like theirs. */
    const orderOr = (text: string, order: (typeof ORDERS)[number]): FilterCase<TransactionRow> => {
      const [reference] = order;
      const ours = invoices.filter((row) => row.reference === reference).map(({ id }) => id);
      const paid = payments.filter(({ invoiceId }) => ours.includes(invoiceId))
        .map(({ transactionId }) => transactionId);
      const { query, holds } = at(text);
      return { query, holds: (row) => paid.includes(row.id) || holds(row) };
    };
    const [book, tea] = ORDERS;
    const hashes = [rows[0]!, rows[100]!].map(({ txHash }) => txHash);
    const cases: FilterCase<TransactionRow>[] = [
      ...equal<TransactionRow, "status">("status", TRANSACTION_STATUSES),
      ...assets<TransactionRow>(),
      ...accounts<TransactionRow>(role),
      { query: { below: "on" }, holds: ({ isBelowMinimum }) => isBelowMinimum },
      ...equal<TransactionRow, "txHash">("txHash", hashes, "q"),
      {
        query: { from: "2026-10-03", until: "2026-10-05" },
        holds: ({ createdAtMs }) =>
          createdAtMs >= FIRST_MS + 2 * DAY_MS && createdAtMs < FIRST_MS + 5 * DAY_MS,
      },
      ...[ADDRESS(0), ADDRESS(2), ADDRESS(6), "user 2", "nobody"].map(at),
      ...["user 0", "104", "Order 1042"].map((text) => orderOr(text, book)),
      ...["order-7", "ann"].map((text) => orderOr(text, tea)),
    ];
    const directions = equal<TransactionRow, "direction">("direction", DIRECTIONS);
    const list = { url, token: logins[role].token, nameOf: idOf, rows };
    const found = await assertFilters(
      { ...list, ...exported("Transactions") },
      [...directions, ...cases],
    );
    assert.ok(found.tried > 150 && found.empty < found.tried / 2, JSON.stringify(found));
    const deposits = rows.filter(({ direction }) => direction === "deposit");
    await assertFilters({
      ...list,
      rows: deposits,
      path: "/deposits",
      caption: "Payments",
    }, cases);
  });

  Deno.test(`every filter of withdrawals and sweeps shows ${WHO[role]} exactly their rows, and exports them`, async () => {
    await using gateway = await startFilled();
    const { deps: { db }, url, logins } = gateway;
    const list = { url, token: logins[role].token, nameOf: idOf };
    const payouts = newest(await db.rows(Withdrawals, "ORDER BY id")).filter(mayShow);
    await assertFilters(
      { ...list, rows: payouts, ...exported("Withdrawals"), caption: "Payouts" },
      [
        ...equal<WithdrawalRow, "status">("status", WITHDRAWAL_STATUSES),
        ...assets<WithdrawalRow>(),
        ...accounts<WithdrawalRow>(role),
        ...equal<WithdrawalRow, "clientReference">(
          "clientReference",
          ["w3", "w7", "none"],
          "reference",
        ),
        ...equal<WithdrawalRow, "toAddress">("toAddress", [1, 6, 9].map(ADDRESS), "to_address"),
        { query: { to_address: "no address" }, holds: () => false },
      ],
    );
    const sweeps = newest(await db.rows(Sweeps, "ORDER BY id")).filter(mayShow);
    const owned = await db.rows(Addresses, "ORDER BY id");
    const at = (address: string): FilterCase<SweepRow> => {
      const found = owned.find((row) =>
        row.address === address && mayShow({ accountId: row.accountId! })
      );
      return { query: { q: address }, holds: ({ addressId }) => addressId === found?.id };
    };
    await assertFilters({ ...list, rows: sweeps, ...exported("Sweeps") }, [
      ...equal<SweepRow, "state">("state", SWEEP_STATES),
      ...assets<SweepRow>(),
      ...accounts<SweepRow>(role),
      ...[ADDRESS(0), ADDRESS(2)].map(at),
      { query: { q: "no address" }, holds: () => false },
    ]);
  });
}

Deno.test("every filter of alerts and of the audit log shows exactly its rows", async () => {
  await using gateway = await startFilled();
  const { deps: { db }, url, logins: { operator: { token } } } = gateway;
  const all = newest(await db.rows(Alerts, "ORDER BY id")).map((row, i) => ({ ...row, i }));
  const kinds = equal<AlertRow, "kind">("kind", ALERT_KINDS.slice(0, 7));
  for (const isAll of [true, false]) {
    const rows = all.filter(({ open }) => isAll || open === 1);
    for (const { query, holds } of [{ query: {}, holds: () => true }, ...kinds]) {
      const asked = new URLSearchParams({ ...query, ...(isAll ? { all: "on" } : {}) });
      const answer = await fetch(`${url}/dashboard/alerts?${asked}`, {
        headers: { cookie: `cpg=${token}` },
      });
      const shown = [...(await answer.text()).matchAll(/<span class="whole">(alert \d+)<\/span>/g)]
        .map(([, message]) => message);
      const expected = rows.filter(holds).slice(0, 25).map(({ message }) => message);
      assert.deepEqual(shown, expected, `?${asked}`);
    }
  }
  const audited = await auditPage(db, { actor: null, subject: null, cursor: null, limit: 1_000 });
  const list = {
    url,
    token,
    rows: audited,
    nameOf: idOf,
    path: "/audit",
    caption: "Audit log",
    isNameFirst: true,
  };
  const found = await assertFilters(list, [
    ...equal<AuditRow, "actor">("actor", ["test", "user:1", "nobody"]),
    ...equal<AuditRow, "subject">("subject", ["account:1", "account:2", "network:ETH"]),
  ]);
  assert.ok(found.tried > 10);
});

Deno.test("more payments of an order than are looked up are found among the newest, and no others", async () => {
  await using gateway = await startFilled();
  const { deps: { db, memory: { idSpans: spans } } } = gateway;
  const ofUser = await isOfUser(db, { accountId: 1, user: "user 0" });
  const found = async (or: Fact, fewMax: number) => {
    const isMeant = await isForOrder(db, { accountId: 1, text: "Order 1042", or, fewMax });
    const facts = [isMeant, hasOne("account_id", [1])];
    const { rows } = await rowsListed(db, TRANSACTIONS_LISTED, {
      ...{ spans, facts, cursor: null, limit: ROWS },
    });
    return rows.map(({ id }) => id);
  };
  for (const or of [ofUser, hasOne("address_id", [])]) {
    const few = await found(or, 1_000);
    assert.ok(few.length > 5);
    assert.deepEqual(await found(or, 5), few);
  }
});
