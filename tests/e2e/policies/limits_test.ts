import assert from "node:assert/strict";
import { cancelWithdrawal } from "../../../src/actions/withdrawals/cancel.ts";
import { removePolicy, setPolicyActive } from "../../../src/actions/policies/manage.ts";
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
