import assert from "node:assert/strict";
import type { InArgs } from "@libsql/client";
import { type List, rowsOf, type Values } from "../../../src/operations/lists/list.ts";
import { DEPOSITS, TRANSACTIONS } from "../../../src/deposits/lists/transactions.ts";
import { ALERTS } from "../../../src/alerts/list.ts";
import { INVOICES } from "../../../src/invoices/lists/invoices.ts";
import { LEDGER } from "../../../src/books/list.ts";
import { SWEEPS } from "../../../src/sweeps/list.ts";
import { WITHDRAWALS } from "../../../src/withdrawals/list.ts";
import type { Db, SqlValue } from "../../../src/store/engine/db.ts";
import { creditsOf } from "../../../src/deposits/reads/requests_listed.ts";
import { lastPlace } from "../../../src/transfers/reads/places.ts";
import { invoiceCustomers } from "../../../src/customers/reads.ts";
import { dueEndpointIds } from "../../../src/webhooks/reads/due.ts";
import { makeDatabase } from "../databases.ts";
import { listDeps } from "./list_deps.ts";
import { planOf } from "../plans/explain.ts";

const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

type Ask = (db: Db) => Promise<unknown>;

/** The plans of all statements of one question, in order. */
async function plansOf(ask: Ask): Promise<string[][]> {
  await using database = await makeDatabase("an embedded file");
  const asked: { sql: string; args: InArgs }[] = [];
  const query = (sql: string, args: readonly SqlValue[] = []) => {
    const bound = args.map((value) => typeof value === "number" ? BigInt(value) : value);
    asked.push({ sql, args: bound as InArgs });
    return Promise.resolve([{ rows: "[]", edge: null }]);
  };
  const rows = (table: { name: string }, tail: string, args?: readonly SqlValue[]) =>
    query(`SELECT * FROM ${table.name} ${tail}`, args);
  await ask({ query, rows } as unknown as Db);
  assert.ok(asked.length > 0);
  return await Promise.all(asked.map((one) => planOf(database.client(), one)));
}

const COINS = [{ network: "ETH", symbol: "ETH" }, { network: "ETH", symbol: "USDT" }];

const listed = (list: List, values: Values, accountId: number | null) => (db: Db) =>
  rowsOf(listDeps(db, { networks: ["ETH", "BSC"], coins: COINS }), list, {
    ...{ accountId, values, cursor: null, limit: 5 },
  });

for (
  const [list, values, own, all] of [
    [TRANSACTIONS, {}, "transactions_account", null],
    [
      TRANSACTIONS,
      { direction: "deposit" },
      "transactions_account_direction",
      "transactions_direction",
    ],
    [TRANSACTIONS, { status: "detected" }, "transactions_account_status", "transactions_status"],
    [TRANSACTIONS, { network: "ETH" }, "transactions_account_network", "transactions_network"],
    [TRANSACTIONS, { currency: "USDT" }, "transactions_account_currency", "transactions_currency"],
    [
      TRANSACTIONS,
      { direction: "sweep", status: "failed" },
      "transactions_kind",
      "transactions_status",
    ],
    [
      TRANSACTIONS,
      { status: "failed", below: true },
      "transactions_account_below_minimum",
      "transactions_below_minimum",
    ],
    [
      DEPOSITS,
      { hash: "ab".repeat(32), status: "failed" },
      "transactions_movement",
      "transactions_movement",
    ],
    [WITHDRAWALS, {}, "withdrawals_account", null],
    [WITHDRAWALS, { status: "pending" }, "withdrawals_kind", "withdrawals_status"],
    [WITHDRAWALS, { network: "ETH" }, "withdrawals_kind", null],
    [
      WITHDRAWALS,
      { recipient: ADDRESS, status: "failed" },
      "withdrawals_recipient",
      "withdrawals_status",
    ],
    [SWEEPS, {}, "sweeps_account", null],
    [SWEEPS, { state: "parked" }, "sweeps_account_state", "sweeps_state"],
    [INVOICES, { reference: "a" }, "invoices_reference", "invoices_text"],
    [INVOICES, { customer: "a", status: "paid" }, "invoices_customer", "invoices_customer_text"],
    [INVOICES, { status: "paid" }, "invoices_status", null],
    [ALERTS, { open: true, kind: "stopped" }, "alerts_waiting", "alerts_waiting"],
    [LEDGER, { kind: "hold" }, "ledger_entries_asset", null],
    [LEDGER, { kind: "credit" }, "ledger_entries_kind", null],
  ] as const
) {
  for (const [accountId, index] of [[1, own], [null, all]] as const) {
    const who = accountId === null ? "all accounts" : "an account";
    const by = Object.keys(values).join(" and ") || "nothing";
    Deno.test(`a page of the ${list.title.toLowerCase()} of ${who} filtered by ${by} is read in the order of ${index ?? "their ids"}`, async () => {
      const [steps] = await plansOf(listed(list, values, accountId));
      const plan = steps!.join("; ");
      assert.match(plan, index === null ? /SCAN|PRIMARY KEY/ : new RegExp(`INDEX ${index} `), plan);
      if (!("hash" in values)) assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
    });
  }
}

Deno.test("whether requests are settled is read without the payments that don't count yet", async () => {
  const [plan] = await plansOf((db) => creditsOf(db, []));
  const steps = plan!.filter((step) => / t /.test(step)).map((step) =>
    /INDEX (.*)$/.exec(step)?.[1]
  );
  assert.deepEqual(steps, [
    "transactions_credited_address (address_id=? AND currency=?)",
    "transactions_credited_request (deposit_request_id=? AND currency=?)",
  ]);
});

for (const accountId of [1, null]) {
  const who = accountId === null ? "all accounts" : "an account";
  Deno.test(`the next customer of ${who} is found by its name, not among all invoices of its account`, async () => {
    for (const cursor of [null, 9]) {
      const [plan] = await plansOf((db) => invoiceCustomers(db, { accountId, cursor, limit: 5 }));
      const steps = plan!.flatMap((step) => /^SEARCH n .* (\(.*\))$/.exec(step)?.[1] ?? []);
      const [own, other] = ["(account_id=? AND customer>?)", "(account_id>?)"];
      const all = [...cursor === null ? [other] : [own, other], own, other];
      assert.deepEqual(steps, accountId === null ? all : [own, own]);
    }
  });
}

Deno.test("the last used nonce is read from the end of an index, not from every transfer", async () => {
  const [steps] = await plansOf((db) => lastPlace(db, { network: "ETH", sender: "0xH" }));
  const plan = steps!.join("; ");
  assert.match(plan, /COVERING INDEX/, plan);
});

Deno.test("endpoints with something due are stepped through, not found by reading all that is pending", async () => {
  const [plan] = await plansOf((db) => dueEndpointIds(db, 9));
  const steps = plan!.filter((step) => / (d|webhook_deliveries) /.test(step));
  assert.equal(steps.length, 3, plan!.join("; "));
  assert.ok(steps.every((step) => step.includes("webhook_deliveries_due")), plan!.join("; "));
});
