import assert from "node:assert/strict";
import {
  editPolicy,
  listPolicies,
  removePolicy,
  resumeFilling,
  ruleEdit,
  setPolicyActive,
} from "../../../src/policies/manage.ts";
import { change } from "../../../src/policies/change.ts";
import { metersNow } from "../../../src/policies/meter_now.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { previewOf } from "../../../src/policies/preview.ts";
import { approveProposal } from "../../../src/proposals/decide.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { inboxOf } from "../../../src/proposals/inbox.ts";
import { Notices } from "../../../src/alerts/table.ts";
import { Policies, type PolicyRow } from "../../../src/policies/table.ts";
import { proposed } from "../../support/people/proposals.ts";
import { makeDual, refusalOf } from "./_dual.ts";
import { makePolicy, makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";

const MINUTE_MS = 60_000;

/** As it was while its earlier payments were being counted. */
async function setAside({ deps }: Ruled, id: number, patch: Partial<PolicyRow>): Promise<void> {
  await change(deps, { actor: "test", action: "policy.added" }, (view) => {
    view.atOnce("a test").update(Policies, view.get(Policies, [id]), patch);
  });
}

Deno.test("an account's people change no rules but their own, and each is only stricter", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId } = ruled;
  const actor = "user:7";
  const operators = await makePolicy(ruled, { condition: "max_payment", cap: "5", accountId });
  const own = await makePolicy(ruled, {
    ...{ condition: "max_payment", cap: "3", accountId, setBy: "merchant", label: "Own" },
  });
  for (const ownedBy of [accountId, accountId + 1]) {
    const asked = { id: operators.id, ownedBy, actor };
    assert.equal(await refusalOf(removePolicy(deps, asked)), "policy_unknown");
    assert.equal(
      await refusalOf(setPolicyActive(deps, { ...asked, isActive: false })),
      "policy_unknown",
    );
    assert.equal(await refusalOf(editPolicy(deps, { ...asked, change: {} })), "policy_unknown");
  }
  const theirs = { id: own.id, ownedBy: accountId + 1, actor };
  assert.equal(await refusalOf(removePolicy(deps, theirs)), "policy_unknown", "another account's");
  assert.equal(await ruled.pay("4"), "policy_refused");
  await editPolicy(deps, { id: own.id, ownedBy: accountId, actor, change: { cap: "6" } });
  assert.equal(await ruled.pay("4"), "pending", "its own limit is higher");
  assert.equal(await ruled.pay("6"), "policy_refused", "the operator's isn't");
  assert.equal(
    await refusalOf(editPolicy(deps, { id: own.id, actor, change: { cap: null } })),
    "policy_without_limit",
  );
  await removePolicy(deps, { id: own.id, ownedBy: accountId, actor });

  const other = await createAccount(deps, { name: "Other", actor: "test" });
  const { row: { keyId } } = await createApiKey(deps, {
    ...{
      accountId: other.id,
      label: "x",
      permissions: [],
      ipList: [],
      rateLimit: 1,
      actor: "test",
    },
  });
  const ofKey = { condition: "always", accountId, keyId, currency: null } as const;
  assert.equal(await refusalOf(makePolicy(ruled, ofKey)), "key_unknown");
  const many = { condition: "max_payment", cap: "9", accountId, setBy: "merchant" } as const;
  for (let n = 0; n < 20; n++) await makePolicy(ruled, many);
  assert.equal(await refusalOf(makePolicy(ruled, many)), "policies_too_many");
});

Deno.test("whoever goes on changing their own rules doesn't stop other accounts' payments", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  const other = await createAccount(deps, { name: "Other", actor: "test" });
  const limit = { condition: "max_payment", cap: "5", setBy: "merchant" } as const;
  const { id } = await makePolicy(ruled, { ...limit, accountId: other.id });
  const operators = await makePolicy(ruled, { condition: "max_payment", cap: "9" });
  const changing = Array.from({ length: 60 }, (_, i) => {
    const change = { label: `${i}` };
    return refusalOf(editPolicy(deps, { id, ownedBy: other.id, actor: "user:7", change }));
  });
  for (let i = 0; i < 5; i++) assert.equal(await ruled.pay("1"), "pending");
  await editPolicy(deps, { id: operators.id, actor: "cli", change: { cap: "8" } });
  const done = (await Promise.all(changing)).filter((refusal) => refusal === "none");
  assert.equal(done.length, 29, "30 a minute, with the rule itself");
});

Deno.test("a new limit of one account reads no payments of others, however often it is set", async () => {
  await using ruled = await makeRuled();
  const { deps: { db }, deps } = ruled;
  for (let i = 0; i < 3; i++) await ruled.pay("1");
  const other = await createAccount(deps, { name: "Other", actor: "test" });
  const { query } = db;
  let payments = 0;
  db.query = async (sql, ...args) => {
    const rows = await query.call(db, sql, ...args);
    if (sql.includes("FROM withdrawals AS w")) payments += rows.length;
    return rows;
  };
  const limit = { condition: "max_week", cap: "3", setBy: "merchant" } as const;
  await makePolicy(ruled, { ...limit, accountId: other.id });
  assert.equal(payments, 0);
  await makePolicy(ruled, { ...limit, accountId: ruled.accountId });
  assert.equal(payments, 3);
  assert.equal(await ruled.pay("1"), "policy_refused");
});

Deno.test("under dual control, an account's people decide about their own rules and about no operator's", async () => {
  await using dual = await makeDual();
  const { deps, accountId, ann, bob, merchant } = dual;
  const limit = { condition: "max_payment", cap: "5", accountId } as const;
  const operators = await makePolicy(dual, limit);
  const own = await makePolicy(dual, { ...limit, setBy: "merchant" });
  const propose = (id: number) =>
    proposed(deps, ruleEdit, { wanted: { id, change: { cap: "9" } }, by: ann });
  const first = await propose(operators.id);
  const asMerchant = approveProposal(deps, { id: first, decider: merchant });
  assert.equal(await refusalOf(asMerchant), "proposal_unknown");
  assert.deepEqual((await inboxOf(deps, merchant.user!)).proposals, [], "nor is it shown");
  assert.equal((await inboxOf(deps, bob.user!)).proposals.length, 1);
  const [notice] = await deps.db.rows(Notices, "WHERE topic = 'approvals' ORDER BY id DESC");
  assert.equal(notice?.accountId, null);
  await approveProposal(deps, { id: first, decider: bob });
  await approveProposal(deps, { id: await propose(own.id), decider: merchant });
  assert.deepEqual((await listPolicies(deps)).map(({ cap }) => cap), ["9", "9"]);
  const lower = { id: own.id, ownedBy: accountId, actor: "user:7", change: { cap: "1" } };
  assert.equal((await editPolicy(deps, lower)).cap, "1", "stricter is done at once");
});

Deno.test("a rule shows what is used of its limit, and what it would have done", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId, clock } = ruled;
  await ruled.pay("30");
  clock.ms += MINUTE_MS;
  const other = `0x${"77".repeat(20)}`;
  await ruled.pay("20", { to: other });
  await ruled.pay("1", { to: `0x${"66".repeat(20)}` });
  await ruled.pay("4", { to: other });
  await cancelWithdrawal(deps, { id: 3, actor: "test" });
  await cancelWithdrawal(deps, { id: 4, actor: "test" });
  const rule = await makePolicy(ruled, { condition: "max_day", cap: "40", accountId });
  const used = async (one: typeof rule) => (await metersNow(deps, [one], { most: 2 })).get(one.id);
  const whole = { split: "", countsFromMs: null };
  const sum = { ...whole, cap: "40", isAmount: true, used: "50", share: 100 };
  assert.deepEqual(await used(rule), [sum]);
  const counts = await makePolicy(ruled, { condition: "max_count_day", cap: "8", currency: null });
  const count = { ...whole, cap: "8", isAmount: false, used: "2", share: 25 };
  assert.deepEqual(await used(counts), [count]);
  const each = await makePolicy(ruled, { condition: "max_day", cap: "40", each: "recipient" });
  const of = { ...sum, split: OUTSIDE, used: "30", share: 75 };
  assert.deepEqual(await used(each), [of, { ...of, split: other, used: "20", share: 50 }]);
  const wouldBe = async (one: typeof rule) =>
    (await previewOf(deps, one)).payments.map(({ past: { id }, outcome }) => [id, outcome]);
  assert.deepEqual(await wouldBe(rule), [
    [4, "refuse"],
    [3, "refuse"],
    [2, "refuse"],
    [1, "allow"],
  ]);
  const allowed = [[4, "allow"], [3, "allow"], [2, "allow"], [1, "allow"]];
  assert.deepEqual(await wouldBe(each), allowed, "of all accounts, by recipient");
  const payees = await makePolicy(ruled, { condition: "only_payees", outcome: "approve" });
  assert.deepEqual((await wouldBe(payees)).slice(2), [[2, "approve"], [1, "approve"]]);
  assert.equal(await ruled.pay("1", { to: OUTSIDE }), "policy_refused");
  clock.ms += 25 * 60 * MINUTE_MS;
  assert.deepEqual(await used(each), []);
});

Deno.test("a rule whose payments were being counted when the program ended goes on by itself", async () => {
  await using ruled = await makeRuled();
  const { deps, clock } = ruled;
  await ruled.pay("30");
  const { id } = await makePolicy(ruled, { condition: "max_day", cap: "40" });
  const began = { isReady: false, isActive: false, meteredFromMs: clock.ms - 24 * 60 * MINUTE_MS };
  await setAside(ruled, id, began);
  assert.equal(await ruled.pay("1"), "pending", "it doesn't apply yet");
  await resumeFilling(deps);
  assert.equal((await deps.db.get(Policies, [id])).isReady, false, "somebody may be at it");
  clock.ms += 2 * MINUTE_MS;
  await resumeFilling(deps);
  assert.equal(await ruled.pay("10"), "policy_refused", "31 were counted");
  await setAside(ruled, id, began);
  await setPolicyActive(deps, { id, isActive: false, actor: "test" });
  clock.ms += 2 * MINUTE_MS;
  await resumeFilling(deps);
  assert.equal(await ruled.pay("10"), "pending", "switched off while it was being counted");
  await setPolicyActive(deps, { id, isActive: true, actor: "test" });
  assert.equal(await ruled.pay("1"), "policy_refused", "41 were counted");
});
