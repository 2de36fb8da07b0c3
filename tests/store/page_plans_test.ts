import assert from "node:assert/strict";
import type { InArgs } from "@libsql/client";
import type { Db, SqlValue } from "../../src/store/db.ts";
import { attemptsOfDelivery, deliveryPage, endpointPage } from "../../src/store/delivery_reads.ts";
import { transactionPage } from "../../src/store/transaction_reads.ts";
import { lastUsedNonce } from "../../src/store/transfer_reads.ts";
import { dueEndpointIds } from "../../src/store/webhook_reads.ts";
import { makeDatabase } from "./databases.ts";
import { planOf } from "./plans/explain.ts";

type Ask = (db: Db) => Promise<unknown>;

/** How the statements of one question would be gone about, one after the other. */
async function plansOf(ask: Ask): Promise<string[][]> {
  await using database = await makeDatabase("an embedded file");
  const asked: { sql: string; args: InArgs }[] = [];
  const query = (sql: string, args: readonly SqlValue[] = []) => {
    const bound = args.map((value) => typeof value === "number" ? BigInt(value) : value);
    asked.push({ sql, args: bound as InArgs });
    return Promise.resolve([]);
  };
  const rows = (table: { name: string }, tail: string, args?: readonly SqlValue[]) =>
    query(`SELECT * FROM ${table.name} ${tail}`, args);
  await ask({ query, rows } as unknown as Db);
  assert.ok(asked.length > 0);
  return await Promise.all(asked.map((one) => planOf(database.client(), one)));
}

const DELIVERIES = {
  accountId: null,
  endpointId: null,
  state: null,
  cursor: { eventId: 9, endpointId: 9 },
  limit: 5,
} as const;
const ENDPOINTS = { accountId: null, cursor: 9, limit: 5 };

for (
  const [what, ask] of [
    ["all webhooks", (db) => endpointPage(db, ENDPOINTS)],
    ["an account's webhooks", (db) => endpointPage(db, { ...ENDPOINTS, accountId: 1 })],
    ["all deliveries", (db) => deliveryPage(db, DELIVERIES)],
    ["those of a state", (db) => deliveryPage(db, { ...DELIVERIES, state: "dead" })],
    ["those of an account", (db) => deliveryPage(db, { ...DELIVERIES, accountId: 1 })],
    [
      "an account's that were taken",
      (db) => deliveryPage(db, { ...DELIVERIES, accountId: 1, state: "delivered" }),
    ],
    ["those to a webhook", (db) => deliveryPage(db, { ...DELIVERIES, endpointId: 1 })],
    [
      "a webhook's of a state",
      (db) => deliveryPage(db, { ...DELIVERIES, endpointId: 1, state: "dead" }),
    ],
    ["attempts of a delivery", (db) => attemptsOfDelivery(db, { eventId: 1, endpointId: 1 })],
  ] as readonly (readonly [string, Ask])[]
) {
  Deno.test(`a page of ${what} is read in the order of an index, without sorting`, async () => {
    for (const plan of await plansOf(ask)) {
      assert.deepEqual(plan.filter((step) => !step.startsWith("SEARCH ")), []);
    }
  });
}

Deno.test("an account's deliveries that were not taken are found webhook by webhook, by an index each", async () => {
  const [plan] = await plansOf((db) =>
    deliveryPage(db, { ...DELIVERIES, accountId: 1, state: "dead" })
  );
  const steps = plan!.filter((step) => step.includes("webhook_"));
  assert.ok(steps.some((step) => /unsettled_endpoint \(endpoint_id=\? AND state=\?/.test(step)));
  assert.ok(!steps.some((step) => step.startsWith("SCAN w ")), plan!.join("; "));
});

Deno.test("transactions by several conditions are gathered kind by kind, by an index", async () => {
  const [plan] = await plansOf((db) =>
    transactionPage(db, { ...TRANSACTIONS, direction: "sweep", status: "failed" }, [])
  );
  const index = "USING COVERING INDEX transactions_kind " +
    "(account_id=? AND direction=? AND status=? AND network=? AND currency=? AND id<?)";
  assert.ok(plan!.some((step) => step.endsWith(index)), plan!.join("; "));
});

const TRANSACTIONS = {
  accountId: 1,
  direction: null,
  status: null,
  network: null,
  currencies: null,
  cursor: 9,
  limit: 50,
};

for (
  const [filter, index] of [
    [{}, "transactions_account"],
    [{ direction: "deposit" }, "transactions_account_direction"],
    [{ status: "detected" }, "transactions_account_status"],
    [{ network: "ETH" }, "transactions_account_network"],
    [{ currencies: ["USDT"] }, "transactions_account_currency"],
  ] as const
) {
  const by = Object.keys(filter)[0] ?? "nothing";
  Deno.test(`a page of transactions filtered by ${by} is read in the order of its index`, async () => {
    const [steps] = await plansOf((db) => transactionPage(db, { ...TRANSACTIONS, ...filter }, []));
    const plan = steps!.join("; ");
    assert.match(plan, new RegExp(`USING INDEX ${index} `), plan);
    assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
  });
}

Deno.test("the last used nonce is read from the end of an index, not from every transfer of the wallet", async () => {
  const [steps] = await plansOf((db) => lastUsedNonce(db, { network: "ETH", sender: "0xH" }));
  const plan = steps!.join("; ");
  assert.match(plan, /COVERING INDEX/, plan);
});

Deno.test("endpoints with something due are stepped through, not found by reading all that is pending", async () => {
  const [plan] = await plansOf((db) => dueEndpointIds(db, 9));
  const steps = plan!.filter((step) => / (d|webhook_deliveries) /.test(step));
  assert.equal(steps.length, 3, plan!.join("; "));
  assert.ok(steps.every((step) => step.includes("webhook_deliveries_due")), plan!.join("; "));
});
