import assert from "node:assert/strict";
import type { InArgs } from "@libsql/client";
import type { Db, SqlValue } from "../../../src/store/engine/db.ts";
import { creditsOf } from "../../../src/store/reads/lists/deposit_requests.ts";
import { transactionPage } from "../../../src/store/reads/pages/transactions.ts";
import { lastUsedNonce } from "../../../src/store/reads/signed/nonces.ts";
import { dueEndpointIds } from "../../../src/store/reads/webhooks/due.ts";
import { makeDatabase } from "../databases.ts";
import { planOf } from "../plans/explain.ts";

type Ask = (db: Db) => Promise<unknown>;

/** The plans of all statements of one question, in order. */
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

Deno.test("transactions filtered by several conditions are merged kind by kind, by an index", async () => {
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

Deno.test("the last used nonce is read from the end of an index, not from every transfer", async () => {
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
