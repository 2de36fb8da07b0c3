import assert from "node:assert/strict";
import { removePolicy } from "../../../src/policies/manage.ts";
import { addPayee, removePayee } from "../../../src/payees/payees.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { makePolicy, makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";

const run = ({ deps }: Ruled, ...statements: string[]) =>
  deps.db.execute(statements.map((sql) => ({ sql })));

const putBack = (...tables: string[]) =>
  tables.flatMap((table) => [
    `DELETE FROM ${table}`,
    `INSERT INTO ${table} SELECT * FROM old_${table}`,
  ]);

interface Attack {
  readonly sql: readonly string[];
  /** A program that has just started. */
  readonly isFresh: boolean;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  "totals and marks are deleted": {
    sql: ["DELETE FROM policy_meters", "DELETE FROM policy_marks"],
    isFresh: false,
  },
  "totals are deleted": { sql: ["DELETE FROM policy_meters"], isFresh: false },
  "totals are put back": { sql: putBack("policy_meters"), isFresh: false },
  "totals, marks and cursor are put back": {
    sql: putBack("policy_meters", "policy_marks", "policy_cursor"),
    isFresh: false,
  },
  "all marks are deleted": { sql: ["DELETE FROM policy_marks"], isFresh: true },
  "older marks are deleted": {
    sql: ["DELETE FROM policy_marks WHERE id < (SELECT max(id) FROM policy_marks)"],
    isFresh: true,
  },
  "the cursor is put back": { sql: putBack("policy_cursor"), isFresh: true },
};

/** 9 of 10 are paid, and the payment of 6 that was cancelled counts no more. */
async function used(ruled: Ruled): Promise<void> {
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  assert.equal(await ruled.pay("1"), "pending");
  ruled.clock.ms += 1000;
  await run(
    ruled,
    ...["policy_meters", "policy_marks", "policy_cursor"].map((table) =>
      `CREATE TABLE old_${table} AS SELECT * FROM ${table}`
    ),
  );
  assert.equal(await ruled.pay("6"), "pending");
  await cancelWithdrawal(ruled.deps, { id: 2, actor: "test" });
  ruled.clock.ms += 1000;
  assert.equal(await ruled.pay("8"), "pending");
  ruled.clock.ms += 1000;
  assert.equal(await ruled.pay("1.1"), "policy_refused");
}

for (const [attack, { sql, isFresh }] of Object.entries(ATTACKS)) {
  Deno.test(`no limit gets wider if ${attack}`, async () => {
    await using ruled = await makeRuled();
    await used(ruled);
    await run(ruled, ...sql);
    const on = isFresh ? await ruled.open() : ruled.deps;
    assert.notEqual(await ruled.pay("4", { on }), "pending");
  });
}

Deno.test("a limit whose totals were put back pays again once it is removed and added", async () => {
  await using ruled = await makeRuled();
  await used(ruled);
  await run(ruled, ...putBack("policy_meters"));
  assert.equal(await ruled.pay("1"), "currency_paused");
  const [alert] = await ruled.deps.db.list(Alerts, { kind: "tampered" });
  assert.match(alert!.message, /^A limit has counted more/);
  await removePolicy(ruled.deps, { id: 1, actor: "test" });
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  assert.equal(await ruled.pay("1.1"), "policy_refused");
  assert.equal(await ruled.pay("1"), "pending");
});

Deno.test("a removed payee that somebody puts back isn't paid, not even by who has just paid it", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId, clock, pay } = ruled;
  const other = await ruled.open();
  await makePolicy(ruled, { condition: "only_payees" });
  assert.equal(await pay("1"), "policy_refused");
  const place = { accountId, network: "ETH", address: OUTSIDE };
  const order = { ...place, label: "shop", usableAfterMs: 0, actor: "test" };
  const { row: { id } } = await addPayee(deps, order);
  for (const on of [deps, other]) assert.equal(await pay("1", { on }), "pending");

  await run(ruled, "CREATE TABLE old_payees AS SELECT * FROM payees");
  await removePayee(deps, { id, actor: "test" });
  for (const on of [deps, other]) assert.equal(await pay("1", { on }), "policy_refused");
  await run(ruled, ...putBack("payees"));
  clock.ms += 1_000;
  for (const on of [deps, other]) assert.equal(await pay("1", { on }), "policy_refused");
});
