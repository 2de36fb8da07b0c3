import assert from "node:assert/strict";
import { setUserRole } from "../../../src/access/change_user.ts";
import { userCreate } from "../../../src/access/manage_users.ts";
import { settingSet } from "../../../src/access/require_second_factor.ts";
import { SetUpLinks, Users } from "../../../src/access/tables/users.ts";
import { accountSet, setAccount } from "../../../src/accounts/set_account.ts";
import { suspendAccount, unsuspendAccount } from "../../../src/accounts/suspend.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { Notices } from "../../../src/alerts/table.ts";
import type { Decider } from "../../../src/approvals/decider.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { SecondPersonNeeded } from "../../../src/control/guard.ts";
import { addPayee, payeeAdd, removePayee } from "../../../src/payees/payees.ts";
import { Payees } from "../../../src/payees/table.ts";
import { approveProposal, rejectProposal } from "../../../src/proposals/decide.ts";
import { expireProposals, expireRestored } from "../../../src/proposals/end.ts";
import { PROPOSAL_MS } from "../../../src/proposals/rules.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import { addSource, removeSource } from "../../../src/rates/manage.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { CLI, type Dual, makeDual, makePerson, refusalOf } from "./_dual.ts";
import { makePolicy, makeRuled, OUTSIDE } from "./_ruled.ts";
import { proposed } from "../../support/people/proposals.ts";
import { noteTest } from "../../support/stage.ts";

const DAY_MS = 86_400_000;

function payee({ accountId }: Pick<Dual, "accountId">, address = OUTSIDE) {
  return { accountId, network: "ETH", address, label: "Supplier", usableAfterMs: DAY_MS };
}

const payees = ({ deps }: Dual) => deps.db.rows(Payees, "ORDER BY id");
const stateOf = async ({ deps }: Dual, id: number) => (await deps.db.get(Proposals, [id])).state;

Deno.test("a payee is added once a second person has approved it, exactly as proposed", async () => {
  await using dual = await makeDual();
  const { deps, ann, bob, clock } = dual;
  const id = await proposed(deps, payeeAdd, { wanted: payee(dual), by: ann });
  assert.deepEqual(await payees(dual), []);
  const [notice] = await deps.db.rows(Notices, "WHERE topic = 'approvals'");
  assert.match(notice!.title, /^Proposal 1 waits for you: add "Supplier", 0x7099/);
  assert.match(notice!.text, /^Asked for by user:\d+ from 192\.0\.2\.7\./);
  assert.equal(await refusalOf(approveProposal(deps, { id, decider: ann })), "proposal_own");
  assert.equal(
    await refusalOf(rejectProposal(deps, { id, decider: ann, reason: "x" })),
    "proposal_own",
  );
  clock.ms += 60_000;
  await approveProposal(deps, { id, decider: bob });
  const [row, ...more] = await payees(dual);
  assert.equal(more.length, 0);
  assert.equal(row!.usableAtMs, clock.ms + DAY_MS, "it waits from the approval on");
  assert.equal(await refusalOf(approveProposal(deps, { id, decider: bob })), "proposal_decided");
  const said = await auditPage(deps.db, { actor: null, subject: null, cursor: null, limit: 3 });
  assert.deepEqual(said.map(({ action, actor }) => `${action} ${actor}`), [
    `payee.added ${ann.person}`,
    `proposal.approved ${bob.person}`,
    `proposal.made ${ann.person}`,
  ]);
});

Deno.test("what only makes things stricter is done at once", async () => {
  await using dual = await makeDual();
  const { deps, accountId } = dual;
  const id = await proposed(deps, payeeAdd, { wanted: payee(dual), by: CLI });
  await approveProposal(deps, { id, decider: dual.bob });
  const [row] = await payees(dual);
  await removePayee(deps, { id: row!.id, actor: "cli" });
  const longer = { id: accountId, change: { coolingMs: 48 * 3_600_000 }, actor: "cli" };
  await setAccount(deps, longer);
  const shorter = { ...longer, change: { coolingMs: 47 * 3_600_000 } };
  assert.equal(await refusalOf(setAccount(deps, shorter)), "second_person_needed");
  const off = { ...longer, change: { dualControl: false } };
  assert.equal(await refusalOf(setAccount(deps, off)), "second_person_needed");
});

Deno.test("the people of a suspended account decide about no proposal", async () => {
  await using dual = await makeDual();
  const { deps, accountId, ann, merchant: decider } = dual;
  const id = await proposed(deps, payeeAdd, { wanted: payee(dual), by: ann });
  await suspendAccount(deps, { accountId, reason: "fraud", actor: "cli" });
  assert.equal(await refusalOf(approveProposal(deps, { id, decider })), "approval_suspended");
  const rejection = { id, decider, reason: "x" };
  assert.equal(await refusalOf(rejectProposal(deps, rejection)), "approval_suspended");
  assert.equal(await stateOf(dual, id), "waiting");
  await unsuspendAccount(deps, { accountId, actor: "cli" });
  assert.equal(await refusalOf(approveProposal(deps, { id, decider })), "none");
});

Deno.test("operators and approvers decide, and whoever of the account could do it", async () => {
  await using dual = await makeDual();
  const { deps, ann, merchant } = dual;
  const roles = ["approver", "finance", "developer", "viewer", "auditor"] as const;
  const answers: Record<string, string> = {};
  const deciders: Record<string, Decider> = {};
  for (const role of roles) {
    const address = `0x${String(roles.indexOf(role) + 1).repeat(40)}`;
    const wanted = payee(dual, address);
    const id = await proposed(deps, payeeAdd, { wanted, by: ann });
    const decider = deciders[role] = await makeRoleBefore(dual, role);
    answers[role] = await refusalOf(approveProposal(deps, { id, decider }));
  }
  assert.deepEqual(answers, {
    ...{ approver: "none", finance: "none", developer: "proposal_not_allowed" },
    ...{ viewer: "proposal_not_allowed", auditor: "proposal_not_allowed" },
  });
  const login = { email: "root@example.com", role: "operator", accountId: null } as const;
  const made = await proposed(deps, userCreate, { wanted: login, by: ann });
  assert.equal(
    await refusalOf(approveProposal(deps, { id: made, decider: deciders.approver! })),
    "proposal_not_allowed",
    "an approver would be shown the new operator's link",
  );
  const wanted = { id: dual.accountId, change: { coolingMs: 0 } };
  const id = await proposed(deps, accountSet, { wanted, by: ann });
  assert.equal(
    await refusalOf(approveProposal(deps, { id, decider: merchant })),
    "proposal_not_allowed",
    "a merchant can't change the account either",
  );
  const other = { ...merchant, user: { ...merchant.user!, accountId: 99 } };
  assert.equal(await refusalOf(approveProposal(deps, { id, decider: other })), "proposal_unknown");
});

/** As a row, because a new login would be a proposal itself. */
async function makeRoleBefore(
  dual: Dual,
  role: "approver" | "finance" | "developer" | "viewer" | "auditor",
) {
  const { deps, ann, bob, accountId } = dual;
  const isOurs = role !== "approver" && role !== "auditor";
  const email = `${role}@example.com`;
  const wanted = { email, role, accountId: isOurs ? accountId : null };
  const id = await proposed(deps, userCreate, { wanted, by: ann });
  await approveProposal(deps, { id, decider: bob });
  const [user] = await deps.db.list(Users, { email });
  return { person: `user:${user!.id}`, actor: `user:${user!.id}`, user };
}

Deno.test("approved at the same moment by two people on two programs, it is done once", async () => {
  await using dual = await makeDual();
  const id = await proposed(dual.deps, payeeAdd, { wanted: payee(dual), by: CLI });
  const other = await dual.open();
  const settled = await Promise.all([
    refusalOf(approveProposal(dual.deps, { id, decider: dual.ann })),
    refusalOf(approveProposal(other, { id, decider: dual.bob })),
  ]);
  assert.deepEqual(settled.toSorted(), ["none", "proposal_decided"]);
  assert.equal((await payees(dual)).length, 1);
});

Deno.test("an expired or rejected proposal does nothing", async () => {
  await using dual = await makeDual();
  const { deps, ann, bob, clock } = dual;
  const ids = [];
  for (const digit of ["1", "2", "3"]) {
    const wanted = payee(dual, `0x${digit.repeat(40)}`);
    ids.push(await proposed(deps, payeeAdd, { wanted, by: ann }));
  }
  const [rejected, late, restored] = ids as [number, number, number];
  await rejectProposal(deps, { id: rejected, decider: bob, reason: "No" });
  clock.ms += PROPOSAL_MS;
  assert.equal(
    await refusalOf(approveProposal(deps, { id: late, decider: bob })),
    "proposal_decided",
  );
  await expireProposals(deps);
  await expireRestored(deps);
  for (const id of [rejected, late, restored]) {
    assert.equal(await refusalOf(approveProposal(deps, { id, decider: bob })), "proposal_decided");
  }
  assert.deepEqual(
    [await stateOf(dual, rejected), await stateOf(dual, late)],
    ["rejected", "expired"],
  );
  assert.deepEqual(await payees(dual), []);
});

Deno.test("what has changed since it was proposed is not done", async () => {
  await using dual = await makeDual();
  const { deps, ann, bob } = dual;
  const shorter = { id: dual.accountId, change: { coolingMs: 60_000 } };
  const id = await proposed(deps, accountSet, { wanted: shorter, by: ann });
  const longer = { id: dual.accountId, change: { coolingMs: 48 * 3_600_000 }, actor: "cli" };
  await setAccount(deps, longer);
  assert.equal(await refusalOf(approveProposal(deps, { id, decider: bob })), "proposal_outdated");
  assert.equal((await deps.db.get(Accounts, [dual.accountId])).coolingMs, 48 * 3_600_000);
  assert.equal(await stateOf(dual, id), "waiting");
});

Deno.test("a proposal of a version that had fewer settings is done, unless a new one was set since", async () => {
  await using dual = await makeDual();
  const { deps, ann, bob, accountId: id } = dual;
  const waiting = async (coolingMs: number) => {
    const wanted = { id, change: { coolingMs } };
    const proposalId = await proposed(deps, accountSet, { wanted, by: ann });
    await deps.db.write({
      reads: [read(Proposals, [proposalId])],
      decide: (view) => {
        noteTest(view);
        const row = view.get(Proposals, [proposalId]);
        const { quotaMb: _, ...before } = row.before as { quotaMb: null };
        view.update(Proposals, row, { before });
      },
    });
    return { id: proposalId, decider: bob };
  };
  await approveProposal(deps, await waiting(60_000));
  assert.equal((await deps.db.get(Accounts, [id])).coolingMs, 60_000);
  const late = await waiting(30_000);
  await setAccount(deps, { id, change: { quotaMb: 128 }, actor: "cli" });
  assert.equal(await refusalOf(approveProposal(deps, late)), "proposal_outdated");
  assert.equal((await deps.db.get(Accounts, [id])).coolingMs, 60_000);
});

Deno.test("a proposal that somebody changed, or put back after it was approved, does nothing", async () => {
  await using dual = await makeDual();
  const { deps, ann, bob, open } = dual;
  const id = await proposed(deps, payeeAdd, { wanted: payee(dual), by: ann });
  const [{ wanted, state, open: isOpen, seal }] = await deps.db.query(
    "SELECT wanted, state, open, seal FROM proposals WHERE id = ?",
    [id],
  ) as [Record<string, string>];
  const forged = wanted!.replace(OUTSIDE, `0x${"66".repeat(20)}`);
  const set = (sql: string, args: (string | number | null)[]) =>
    deps.db.execute([{ sql: `UPDATE proposals SET ${sql}`, args }]);
  await set("wanted = ?", [forged]);
  assert.equal(await refusalOf(approveProposal(await open(), { id, decider: bob })), "TamperedRow");
  await set("wanted = ?", [wanted!]);
  await approveProposal(await open(), { id, decider: bob });
  const [row] = await payees(dual);
  await removePayee(deps, { id: row!.id, actor: "cli" });
  await set(
    "state = ?, open = ?, seal = ?, decided_by = NULL, decided_at_ms = NULL, reason = NULL",
    [state!, isOpen!, seal!],
  );
  assert.equal(await refusalOf(approveProposal(await open(), { id, decider: bob })), "TamperedRow");
  const [again] = await payees(dual);
  assert.notEqual(again!.removedAtMs, null);
});

Deno.test("dual control isn't off because somebody set its row back or deleted it", async () => {
  await using dual = await makeDual();
  const { deps, open, accountId } = dual;
  await using before = await makeRuled();
  const kept = await before.deps.db.get(Accounts, [before.accountId]);
  assert.equal(kept.dualControl, null);
  // A row from before it was switched on has a valid seal; here it is the seal that is missing.
  await deps.db.execute([{ sql: "DELETE FROM settings" }]);
  const order = { ...payee(dual), actor: "cli" };
  const add = async () => await refusalOf(addPayee(await open(), order));
  assert.equal(await add(), "second_person_needed");
  await deps.db.execute([{ sql: "UPDATE accounts SET dual_control = NULL" }]);
  assert.equal(await add(), "TamperedRow");
  const off = { id: accountId, change: { dualControl: false }, actor: "cli" };
  assert.notEqual(await refusalOf(setAccount(await open(), off)), "none");
});

Deno.test("switching it on needs two people who could decide", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId } = ruled;
  const on = () =>
    refusalOf(setAccount(deps, { id: accountId, change: { dualControl: true }, actor: "cli" }));
  assert.equal(await on(), "dual_control_alone");
  await makePerson(ruled, "merchant", "one");
  await makePerson(ruled, "merchant", "two");
  assert.equal(await on(), "dual_control_alone", "some things only operators decide");
  await makePerson(ruled, "approver", "three");
  assert.equal(await on(), "none");
});

Deno.test("a new role ends all sessions, and the last operator keeps theirs", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  const { user: ann } = await makePerson(ruled, "operator", "ann");
  const change = (id: number, role: "auditor" | "operator" | "finance") =>
    refusalOf(setUserRole(deps, { id, role, actor: "cli" }));
  assert.equal(await change(ann!.id, "auditor"), "user_last_operator");
  assert.equal(await change(ann!.id, "finance"), "user_role_misfit");
  const { user: bob } = await makePerson(ruled, "operator", "bob");
  assert.equal(await change(ann!.id, "operator"), "user_role_same");
  const both = await Promise.all([change(ann!.id, "auditor"), change(bob!.id, "auditor")]);
  assert.deepEqual(both.toSorted(), ["none", "user_last_operator"]);
  const [changed] = await deps.db.rows(Users, "WHERE role = 'auditor'");
  assert.equal(changed!.generation, 2);
});

Deno.test("a user whose row somebody rewrote isn't another operator", async () => {
  await using ruled = await makeRuled();
  const { deps } = ruled;
  const { user: ann } = await makePerson(ruled, "operator", "ann");
  const { user: bob } = await makePerson(ruled, "auditor", "bob");
  const sql = "UPDATE users SET role = 'operator' WHERE id = ?";
  await deps.db.execute([{ sql, args: [bob!.id] }]);
  const change = setUserRole(deps, { id: ann!.id, role: "auditor", actor: "cli" });
  assert.equal(await refusalOf(change), "user_last_operator");
});

Deno.test("a hundred proposals wait for the people of one account, and no flood of them", async () => {
  await using dual = await makeDual();
  const { deps, merchant, ann } = dual;
  const ask = (by = merchant) => proposed(deps, payeeAdd, { wanted: payee(dual), by });
  const first = await ask();
  for (let i = 1; i < 100; i++) await ask();
  assert.equal(await refusalOf(ask()), "proposals_too_many");
  await rejectProposal(deps, { id: first, decider: ann, reason: "x" });
  await ask();
  const wanted = { change: { dualControl: false } };
  assert.equal(await refusalOf(proposed(deps, settingSet, { wanted, by: ann })), "none");
});

Deno.test("where an account under dual control counts in USD, sources of rates need a second person too", async () => {
  await using ruled = await makeRuled();
  const { deps, accountId } = ruled;
  const price = (value: string) => {
    const source = { base: "ETH", quote: "USD", kind: "manual", value } as const;
    return addSource(deps, { ...source, actor: "user:1" });
  };
  const { id } = await price("3000");
  const isNeeded = (work: Promise<unknown>) => assert.rejects(work, SecondPersonNeeded);
  await makePolicy(ruled, {
    ...{ accountId, currency: null, quote: "USD" },
    ...{ condition: "max_day", cap: "9000" },
  });
  await price("3001");
  await makePerson(ruled, "operator", "ann");
  await makePerson(ruled, "merchant", "merchant");
  await setAccount(deps, { id: accountId, change: { dualControl: true }, actor: "test" });
  await isNeeded(price("1"));
  await isNeeded(removeSource(deps, { id, actor: "user:1" }));
});

Deno.test("whoever proposes a login gets neither its password nor its link: whoever approves it does", async () => {
  await using dual = await makeDual();
  const { deps, ann, bob } = dual;
  const wanted = { email: "eve@example.com", role: "auditor", accountId: null } as const;
  const made = { passwordHash: "of ann's choice", linkHash: "ann's" };
  const id = await proposed(deps, userCreate, { wanted, made, by: ann });
  const { passwordHash, linkHash } = await deps.db.get(Proposals, [id]);
  assert.deepEqual([passwordHash, linkHash], [null, null]);
  const login = { passwordHash: null, linkHash: "bob's" };
  await approveProposal(deps, { id, decider: bob, login });
  const [eve] = await deps.db.list(Users, { email: "eve@example.com" });
  assert.equal(eve?.passwordHash, null);
  assert.equal((await deps.db.get(SetUpLinks, [`user:${eve?.id}`])).tokenHash, "bob's");
});
