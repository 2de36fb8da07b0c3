import assert from "node:assert/strict";
import { createUser } from "../../../src/access/manage_users.ts";
import type { Role } from "../../../src/access/rules/roles.ts";
import { suspendAccount, unsuspendAccount } from "../../../src/accounts/suspend.ts";
import { Notices } from "../../../src/alerts/table.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { COMMAND_LINE, deciderOf } from "../../../src/approvals/decider.ts";
import { expireApprovals } from "../../../src/approvals/expire.ts";
import { rejectWithdrawal } from "../../../src/approvals/reject.ts";
import { Balances } from "../../../src/books/table.ts";
import { ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { Networks } from "../../../src/networks/table.ts";
import { askerOf } from "../../../src/policies/ask_for_approval.ts";
import { TamperedRow } from "../../../src/store/engine/tampered_row.ts";
import { haltRestored } from "../../../src/wallets/halt.ts";
import { hotWalletOf } from "../../../src/wallets/reads/addresses.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { resumeWithdrawals } from "../../../src/withdrawals/resume.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { makePolicy, makeRuled, type Ruled } from "./_ruled.ts";

const DAY_MS = 86_400_000;

async function makeDecider({ deps, accountId }: Ruled, role: Role, name: string) {
  const isOwn = ["merchant", "finance", "developer", "viewer"].includes(role);
  const owner = isOwn ? accountId : null;
  const email = `${name}@example.com`;
  const user = await createUser(deps, { email, role, accountId: owner, actor: "test" }, null);
  return deciderOf(user, `user:${user.id}`);
}

const CLI = { person: COMMAND_LINE, actor: "cli", user: undefined };

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ActionRefused) return error.code;
    throw error;
  }
  return "none";
}

/** Nothing can be sent: there is no node. What was approved stays pending, with its money held. */
async function stateOf({ deps }: Ruled, id: number) {
  const { status, approval } = await deps.db.get(Withdrawals, [id]);
  return `${status} ${approval}`;
}

async function eventsOf({ deps }: Ruled, id: number) {
  const rows = await deps.db.rows(Events, "WHERE withdrawal_id = ? ORDER BY id", [id]);
  return rows.map(({ type, payload }) => {
    const { data } = payload as { data: { reason?: string } };
    return data.reason === undefined ? type : `${type} ${data.reason}`;
  });
}

async function heldOf({ deps, accountId }: Ruled) {
  return (await deps.db.get(Balances, [accountId, "ETH", "ETH"])).held;
}

Deno.test("a withdrawal waits for its approvals with its money held, and is not sent before", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "always", outcome: "approve", approvals: 2 });
  const one = await makeDecider(ruled, "operator", "one");
  const two = await makeDecider(ruled, "approver", "two");
  assert.equal(await ruled.pay("5"), "waiting");
  assert.notEqual(await heldOf(ruled), "0");
  assert.deepEqual(await eventsOf(ruled, 1), ["withdrawal.approval_required"]);
  const [notice] = await ruled.deps.db.rows(Notices, "WHERE topic = 'approvals'");
  assert.equal(notice!.title, "Payout of 5 ETH waits for you: payout 1 on ETH");
  ruled.clock.ms += 60_000;
  const network = await ruled.deps.db.get(Networks, ["ETH"]);
  assert.equal(await resumeWithdrawals(ruled.deps, network), 0, "the worker leaves it alone");
  const first = await approveWithdrawal(ruled.deps, { id: 1, decider: one });
  assert.deepEqual([first.given, first.needed, first.row.approval], [1, 2, "waiting"]);
  const again = await approveWithdrawal(ruled.deps, { id: 1, decider: one });
  assert.equal(again.given, 1, "one person twice counts as one");
  const second = await approveWithdrawal(ruled.deps, { id: 1, decider: two });
  assert.deepEqual([second.given, second.needed, second.row.approval], [2, 2, "approved"]);
  assert.equal(
    await refusalOf(approveWithdrawal(ruled.deps, { id: 1, decider: CLI })),
    "approval_not_needed",
  );
});

Deno.test("two people at the same moment count as two, and one person twice as one", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "always", outcome: "approve", approvals: 2 });
  const one = await makeDecider(ruled, "operator", "one");
  const two = await makeDecider(ruled, "operator", "two");
  await ruled.pay("1");
  await Promise.allSettled(
    [one, one].map((decider) => approveWithdrawal(ruled.deps, { id: 1, decider })),
  );
  assert.equal(await stateOf(ruled, 1), "pending waiting");
  await ruled.pay("1");
  const other = await ruled.open();
  const settled = await Promise.allSettled([
    approveWithdrawal(ruled.deps, { id: 2, decider: one }),
    approveWithdrawal(other, { id: 2, decider: two }),
  ]);
  const failures = settled.filter(({ status }) => status === "rejected");
  assert.deepEqual(failures, []);
  assert.equal((await ruled.deps.db.get(Withdrawals, [2])).approval, "approved");
});

Deno.test("who asked, and whoever may not, can't approve", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  const policy = await makePolicy(ruled, { condition: "always", outcome: "approve" });
  assert.equal(policy.setBy, "operator");
  const decided = async (role: Role, name: string) =>
    await refusalOf(
      approveWithdrawal(deps, { id: 1, decider: await makeDecider(ruled, role, name) }),
    );
  await ruled.pay("1");
  const asker = { person: "user:99", actor: "user:99", user: undefined };
  assert.equal(
    await refusalOf(approveWithdrawal(deps, { id: 1, decider: asker })),
    "approval_by_requester",
  );
  assert.equal(await decided("auditor", "a"), "approval_not_allowed");
  assert.equal(await decided("viewer", "b"), "approval_not_allowed");
  assert.equal(await decided("merchant", "c"), "approval_not_yours");
  assert.equal(await decided("finance", "d"), "approval_not_yours");
  assert.equal(await stateOf(ruled, 1), "pending waiting");
  assert.equal(await decided("approver", "e"), "none");
});

Deno.test("a rule of the account itself may be decided by its own users, and by no others", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve", setBy: "merchant" });
  await ruled.pay("1");
  const merchant = await makeDecider(ruled, "merchant", "own");
  const stranger = { ...merchant, user: { ...merchant.user!, accountId: 77 } };
  assert.equal(
    await refusalOf(approveWithdrawal(deps, { id: 1, decider: stranger })),
    "withdrawal_unknown",
  );
  assert.equal(await refusalOf(approveWithdrawal(deps, { id: 1, decider: merchant })), "none");
});

Deno.test("the people of a suspended account neither approve nor reject until it is unsuspended", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve", setBy: "merchant" });
  await ruled.pay("1");
  const decision = { id: 1, decider: await makeDecider(ruled, "merchant", "own") };
  const { accountId } = decision.decider.user!;
  await suspendAccount(deps, { accountId: accountId!, reason: "fraud", actor: "cli" });
  assert.equal(await refusalOf(approveWithdrawal(deps, decision)), "approval_suspended");
  assert.equal(
    await refusalOf(rejectWithdrawal(deps, { ...decision, reason: "no" })),
    "approval_suspended",
  );
  assert.equal(await stateOf(ruled, 1), "pending waiting");
  await unsuspendAccount(deps, { accountId: accountId!, actor: "cli" });
  assert.equal(await refusalOf(approveWithdrawal(deps, decision)), "none");
});

Deno.test("a rejected, expired or cancelled withdrawal gives its money back and is never paid", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve" });
  for (const _ of [1, 2, 3]) await ruled.pay("1");
  await rejectWithdrawal(deps, { id: 1, decider: CLI, reason: "no" });
  await cancelWithdrawal(deps, { id: 2, actor: "cli" });
  ruled.clock.ms += DAY_MS - 1;
  assert.equal(await expireApprovals(deps), 0);
  await suspendAccount(deps, { accountId: ruled.accountId, reason: "test", actor: "cli" });
  ruled.clock.ms += 1;
  assert.equal(await expireApprovals(deps), 1, "also of a suspended account");
  for (const [id, reason] of [[1, "rejected"], [2, "cancelled"], [3, "expired"]] as const) {
    assert.deepEqual(await eventsOf(ruled, id), [
      "withdrawal.approval_required",
      `withdrawal.cancelled ${reason}`,
    ]);
    assert.equal(await stateOf(ruled, id), "cancelled waiting");
    assert.equal(
      await refusalOf(approveWithdrawal(deps, { id, decider: CLI })),
      "approval_not_needed",
    );
  }
  assert.equal(await heldOf(ruled), "0");
});

Deno.test("an approval that comes too late cancels it, even before the worker does", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "always", outcome: "approve", expiresMs: 1000 });
  await ruled.pay("1");
  ruled.clock.ms += 1000;
  assert.equal(
    await refusalOf(approveWithdrawal(ruled.deps, { id: 1, decider: CLI })),
    "approval_not_needed",
  );
  assert.deepEqual((await eventsOf(ruled, 1)).at(-1), "withdrawal.cancelled expired");
});

Deno.test("rules are checked again at approval, without the payment itself", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "max_payment", cap: "2", outcome: "approve" });
  assert.equal(await ruled.pay("6"), "waiting");
  await makePolicy(ruled, { condition: "max_day", cap: "8", label: "Daily" });
  assert.equal(await ruled.pay("2"), "pending");
  assert.equal(await ruled.pay("0.1"), "policy_refused", "what waits counts");
  await makePolicy(ruled, { condition: "max_hour", cap: "7", label: "Hourly" });
  const refused = approveWithdrawal(deps, { id: 1, decider: CLI });
  await assert.rejects(refused, /^Error: Withdrawal refused by policy: Hourly$|Hourly/);
  assert.equal(await stateOf(ruled, 1), "pending waiting");
  ruled.clock.ms += 3_600_000;
  const approved = await approveWithdrawal(deps, { id: 1, decider: CLI });
  assert.equal(approved.row.approval, "approved");
});

Deno.test("a payment counts from its last approval, so nobody stacks two limits", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "max_payment", cap: "5", outcome: "approve" });
  await makePolicy(ruled, { condition: "max_hour", cap: "10" });
  assert.equal(await ruled.pay("10"), "waiting");
  ruled.clock.ms += 3_500_000;
  await approveWithdrawal(ruled.deps, { id: 1, decider: CLI });
  ruled.clock.ms += 3_599_999;
  assert.equal(await ruled.pay("1"), "policy_refused");
  ruled.clock.ms += 1;
  assert.equal(await ruled.pay("1"), "pending");
});

Deno.test("a rule added later asks for more people", async () => {
  await using ruled = await makeRuled();
  await makePolicy(ruled, { condition: "always", outcome: "approve" });
  await ruled.pay("1");
  await makePolicy(ruled, { condition: "always", outcome: "approve", approvals: 2 });
  const { given, needed, row } = await approveWithdrawal(ruled.deps, { id: 1, decider: CLI });
  assert.deepEqual([given, needed, row.approval], [1, 2, "waiting"]);
});

Deno.test("an operator's limit asks operators, even if only the account's own rule asked before", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId } = ruled;
  const own = { outcome: "approve", setBy: "merchant", accountId, expiresMs: 30 * DAY_MS } as const;
  await makePolicy(ruled, { condition: "always", ...own, approvals: 2 });
  await makePolicy(ruled, { condition: "max_day", cap: "10", outcome: "approve" });
  const merchant = await makeDecider(ruled, "merchant", "own");
  const finance = await makeDecider(ruled, "finance", "till");
  assert.equal(await ruled.pay("9"), "waiting");
  ruled.clock.ms += DAY_MS + 1;
  assert.equal(await ruled.pay("9"), "waiting");
  await approveWithdrawal(deps, { id: 2, decider: merchant });
  await approveWithdrawal(deps, { id: 1, decider: CLI });
  const third = approveWithdrawal(deps, { id: 2, decider: finance });
  assert.equal(await refusalOf(third), "approval_not_yours", "18 on one day");
  const { row, needed } = await approveWithdrawal(deps, { id: 2, decider: CLI });
  assert.deepEqual([row.approval, needed], ["approved", 2]);
});

Deno.test("after a restore nobody ends what may have been approved and paid since the backup", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve" });
  const decider = await makeDecider(ruled, "operator", "one");
  assert.equal(await ruled.pay("5"), "waiting");
  await haltRestored(deps, (await hotWalletOf(deps.db, { accountId, network: "ETH" }))!);
  const held = await heldOf(ruled);
  ruled.clock.ms += 2 * DAY_MS;
  await expireApprovals(deps);
  const order = { id: 1, decider };
  assert.equal(await refusalOf(approveWithdrawal(deps, order)), "approval_unsure");
  assert.equal(
    await refusalOf(rejectWithdrawal(deps, { ...order, reason: "x" })),
    "approval_unsure",
  );
  assert.equal(await stateOf(ruled, 1), "pending waiting");
  assert.equal(await heldOf(ruled), held);
});

Deno.test("who asked is known even if the rules were just forgotten, and can't approve", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve" });
  deps.memory.policyBook = undefined;
  const caller = { keyId: ruled.keyId, signature: null, actor: "user:99" };
  assert.equal((await askerOf(deps, caller)).person, "user:99");
});

Deno.test("nobody counts twice because the row that says who approved was deleted", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve", approvals: 2 });
  const one = await makeDecider(ruled, "operator", "one");
  assert.equal(await ruled.pay("5"), "waiting");
  await approveWithdrawal(deps, { id: 1, decider: one });
  await deps.db.execute([{ sql: "DELETE FROM approvals" }]);
  await assert.rejects(approveWithdrawal(deps, { id: 1, decider: one }), TamperedRow);
  assert.equal(await stateOf(ruled, 1), "pending waiting");
});

Deno.test("nobody counts twice because it was deleted at the moment of the second approval", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  await makePolicy(ruled, { condition: "always", outcome: "approve", approvals: 2 });
  const one = await makeDecider(ruled, "operator", "one");
  assert.equal(await ruled.pay("5"), "waiting");
  await approveWithdrawal(deps, { id: 1, decider: one });
  const list: typeof deps.db.list = async (...asked) => {
    const rows = await deps.db.list(...asked);
    await deps.db.execute([{ sql: "DELETE FROM approvals" }]);
    return rows;
  };
  const disturbed = { ...deps, db: { ...deps.db, list } };
  await assert.rejects(approveWithdrawal(disturbed, { id: 1, decider: one }), TamperedRow);
  assert.equal(await stateOf(ruled, 1), "pending waiting");
});
