import assert from "node:assert/strict";
import { balanceRead, recordAudit } from "../../../src/books/records.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { insertHeld } from "../../../src/withdrawals/insert_held.ts";
import { ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { removePolicy, setPolicyActive } from "../../../src/policies/manage.ts";
import { PolicyCursor } from "../../../src/policies/table.ts";
import { ReleasesWaiting, RulesChanged } from "../../../src/policies/book.ts";
import { keepMeters, withRules } from "../../../src/policies/judging.ts";
import { Unavailable } from "../../../src/store/connection/faults.ts";
import { makePolicy, makeRuled, OUTSIDE } from "./_ruled.ts";

const HOUR_MS = 3_600_000;

Deno.test("a total of an hour is never exceeded, and counts again when a payment leaves the window", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  assert.equal(await ruled.pay("6"), "pending");
  ruled.clock.ms += 1000;
  assert.equal(await ruled.pay("4"), "pending");
  assert.equal(await ruled.pay("0.01"), "policy_refused");
  ruled.clock.ms += HOUR_MS - 1001;
  assert.equal(await ruled.pay("0.01"), "policy_refused");
  ruled.clock.ms += 1;
  assert.equal(await ruled.pay("6"), "pending");
  assert.equal(await ruled.pay("0.01"), "policy_refused");
});

Deno.test("a rule counts what was requested before it, without what was cancelled", async () => {
  await using ruled = await makeRuled();
  await ruled.pay("6");
  await ruled.pay("3");
  await cancelWithdrawal(ruled.deps, { id: 2, actor: "test" });
  ruled.clock.ms += 5;
  await makePolicy(ruled, { condition: "max_day", cap: "10" });
  assert.equal(await ruled.pay("4.01"), "policy_refused");
  assert.equal(await ruled.pay("4"), "pending");
  await cancelWithdrawal(ruled.deps, { id: 1, actor: "test" });
  assert.equal(await ruled.pay("6.01"), "policy_refused");
  assert.equal(await ruled.pay("6"), "pending");
});

Deno.test("only a payment that a limit would stop waits for what others cancelled", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  const takenOutTo = async () => (await deps.db.get(PolicyCursor, [1])).entryId;
  assert.equal(await ruled.pay("1"), "pending");
  const before = await takenOutTo();
  await cancelWithdrawal(deps, { id: 1, actor: "test" });
  assert.equal(await ruled.pay("1"), "pending");
  assert.equal(await takenOutTo(), before, "Somebody who goes on cancelling would stop everybody");
  assert.equal(await ruled.pay("9"), "pending");
  assert.notEqual(await takenOutTo(), before);
  assert.equal(await ruled.pay("0.1"), "policy_refused");
});

Deno.test("whoever others never let decide may try again, which is no fault of ours", async () => {
  await using ruled = await makeRuled();
  for (const error of [new RulesChanged(), new ReleasesWaiting()]) {
    await assert.rejects(withRules(ruled.deps, () => Promise.reject(error)), Unavailable);
  }
});

Deno.test("a payment that ends after leaving a window isn't taken off what is in it", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  await makePolicy(ruled, { condition: "max_day", cap: "14" });
  assert.equal(await ruled.pay("5"), "pending");
  ruled.clock.ms += HOUR_MS;
  assert.equal(await ruled.pay("9"), "pending");
  assert.equal(await ruled.pay("1"), "policy_refused");
  await cancelWithdrawal(ruled.deps, { id: 1, actor: "test" });
  assert.equal(await ruled.pay("1.5"), "policy_refused");
  assert.equal(await ruled.pay("1"), "pending");
  assert.equal(await ruled.pay("1"), "policy_refused");
});

Deno.test("--each splits a total by recipient", async () => {
  await using ruled = await makeRuled();
  const other = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
  await makePolicy(ruled, { condition: "max_count_day", cap: "1", each: "recipient" });
  assert.equal(await ruled.pay("1"), "pending");
  assert.equal(await ruled.pay("1", { to: OUTSIDE.toLowerCase() }), "policy_refused");
  assert.equal(await ruled.pay("1", { to: other }), "pending");
  assert.equal(await ruled.pay("1", { to: other }), "policy_refused");
});

Deno.test("another program's new rule, and one switched off, apply to the next payment", async () => {
  await using ruled = await makeRuled();
  const other = await ruled.open();
  assert.equal(await ruled.pay("1", { on: other }), "pending");
  const { id } = await makePolicy(ruled, { condition: "always" });
  assert.equal(await ruled.pay("1", { on: other }), "policy_refused");
  await setPolicyActive(ruled.deps, { id, isActive: false, actor: "test" });
  assert.equal(await ruled.pay("1", { on: other }), "pending");
  await setPolicyActive(ruled.deps, { id, isActive: true, actor: "test" });
  assert.equal(await ruled.pay("1", { on: other }), "policy_refused");
  await removePolicy(ruled.deps, { id, actor: "test" });
  assert.equal(await ruled.pay("1", { on: other }), "pending");
});

Deno.test("a rule that isn't there, or no longer, is neither switched nor removed", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  const { id } = await makePolicy(ruled, { condition: "always" });
  await removePolicy(deps, { id, actor: "test" });
  for (const unknown of [id, 99]) {
    const order = { id: unknown, actor: "test" };
    await assert.rejects(removePolicy(deps, order), ActionRefused);
    await assert.rejects(setPolicyActive(deps, { ...order, isActive: true }), ActionRefused);
  }
});

Deno.test("64 requests at once, from two programs, pay exactly what the limit allows", async () => {
  await using ruled = await makeRuled();
  const other = await ruled.open();
  await makePolicy(ruled, { condition: "max_hour", cap: "40" });
  await makePolicy(ruled, { condition: "max_count_day", cap: "50" });
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, i) => ruled.pay("1", { on: i % 2 === 0 ? ruled.deps : other })),
  );
  const paid = answers.filter((answer) => answer === "pending").length;
  assert.equal(paid, 40);
  assert.equal(answers.filter((answer) => answer === "policy_refused").length, 24);
  ruled.clock.ms += HOUR_MS;
  const later = await Promise.all(
    Array.from({ length: 16 }, (_, i) => ruled.pay("1", { on: i % 2 === 0 ? ruled.deps : other })),
  );
  assert.equal(later.filter((answer) => answer === "pending").length, 10, "the count of the day");
});

const ATTACKS: Readonly<Record<string, string>> = {
  "the mark of what was taken out is deleted": "DELETE FROM policy_cursor",
  "an open payment is said to be released": `INSERT INTO ledger_entries
  (id, account_id, network, currency, kind, amount, balance_after, held_after, transaction_id,
  withdrawal_id, note, created_at_ms, seal)
SELECT max(id) + 1, account_id, network, currency, 'release', amount, balance_after, held_after,
  NULL, 2, note, created_at_ms, seal FROM ledger_entries`,
};

for (const [attack, sql] of Object.entries(ATTACKS)) {
  Deno.test(`no limit gets wider if ${attack}`, async () => {
    await using ruled = await makeRuled();
    await makePolicy(ruled, { condition: "max_hour", cap: "10" });
    assert.equal(await ruled.pay("6"), "pending");
    await cancelWithdrawal(ruled.deps, { id: 1, actor: "test" });
    if (attack.startsWith("the mark")) assert.equal(await ruled.pay("1"), "pending");
    assert.equal(await ruled.pay("9"), "pending");
    await ruled.deps.db.execute([{ sql }]);
    const fresh = await ruled.open();
    assert.notEqual(await ruled.pay("6", { on: fresh }).catch(String), "pending");
  });
}

Deno.test("after an older payment ended unpaid, many at once read again where each window begins only once", async () => {
  await using ruled = await makeRuled();
  const { deps, clock } = ruled;
  const programs = [deps, await ruled.open()];
  await makePolicy(ruled, { condition: "max_hour", cap: "1000" });
  await makePolicy(ruled, { condition: "max_day", cap: "1000", each: "recipient" });
  const payAtOnce = () =>
    Promise.all(Array.from({ length: 32 }, (_, i) => ruled.pay("1", { on: programs[i % 2]! })));
  await payAtOnce();
  clock.ms += HOUR_MS;
  await payAtOnce();
  let edges = 0;
  for (const { db } of programs) {
    const { query } = db;
    db.query = (sql, ...args) => {
      if (sql.includes("policy_marks")) edges++;
      return query.call(db, sql, ...args);
    };
  }
  await cancelWithdrawal(deps, { id: 1, actor: "test" });
  await keepMeters(deps);
  assert.deepEqual(new Set(await payAtOnce()), new Set(["pending"]));
  assert.equal(edges, 4, "two windows, by each program");
});

Deno.test("no limit gets wider if the amount of a payment that ended is raised", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  assert.equal(await ruled.pay("6"), "pending");
  await cancelWithdrawal(ruled.deps, { id: 1, actor: "test" });
  await ruled.deps.db.execute([{ sql: "UPDATE withdrawals SET amount = '100' WHERE id = 1" }]);
  assert.notEqual(await ruled.pay("11"), "pending");
});

Deno.test("a payment that was adopted after a restore isn't taken off a limit it never counted for", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId, keyId } = ruled;
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  ruled.clock.ms += 1000;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const adopted = await deps.db.write({
    reads: [balanceRead(asset)],
    decide: (view) => {
      const { nowMs } = view;
      const [amount, fee] = ["8", "0"].map((text) => Amount.parse(text, "ETH/ETH"));
      const order = { asset, keyId, given: { clientReference: null }, toAddress: OUTSIDE };
      const sums = { amount: amount!, fee: fee!, balance: balanceRead(asset) };
      const row = insertHeld(view, { ...order, ...sums, nowMs });
      const subject = `withdrawal:${row.id}`;
      recordAudit(view, { actor: "test", action: "withdrawal.adopted", subject, nowMs });
      return row;
    },
  });
  ruled.clock.ms += 1000;
  assert.equal(await ruled.pay("10"), "pending");
  await cancelWithdrawal(deps, { id: adopted.id, actor: "test" });
  assert.equal(await ruled.pay("5"), "policy_refused");
});
