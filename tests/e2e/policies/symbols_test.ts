import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { recordAudit } from "../../../src/books/records.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Refused } from "../../../src/domain/refusal.ts";
import { Currencies } from "../../../src/networks/table.ts";
import { openAlertsOf } from "../../../src/notifications/reads/notices.ts";
import { rowsOf } from "../../../src/operations/lists/list.ts";
import { recountRespelled, setPolicyActive } from "../../../src/policies/manage.ts";
import { Policies, PolicyMarks, PolicyMeters } from "../../../src/policies/table.ts";
import { testPolicies } from "../../../src/policies/try_rule.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { loadMigrations, splitStatements } from "../../../src/store/upkeep/migration_files.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { WITHDRAWALS } from "../../../src/withdrawals/list.ts";
import { makePolicy, makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";

const TOKEN = "0x00000000000000000000000000000000000000ee";

/** As an older version added it: the other network has ETH. */
async function spellOtherwise(deps: Deps): Promise<void> {
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"], code: "BSC", symbol: "BNB" });
  await deps.db.write({
    reads: [read(Currencies, ["BSC", "BNB"]), read(Currencies, ["BSC", "eth"])],
    decide: (view) => {
      const row = view.get(Currencies, ["BSC", "BNB"]);
      view.insertKeyed(Currencies, { ...row, symbol: "eth", contractAddress: TOKEN });
      const subject = "currency:BSC/eth";
      recordAudit(view, { actor: "test", action: "currency.added", subject, nowMs: view.nowMs });
    },
  });
}

async function makeSpelled(): Promise<Ruled & { payOther(amount: string): Promise<string> }> {
  const ruled = await makeRuled();
  const { deps, accountId, keyId } = ruled;
  await spellOtherwise(deps);
  const asset = { accountId, network: "BSC", currency: "eth" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "1000", note: "test", actor: "test" });
  let requests = 0;
  const payOther = async (amount: string) => {
    const caller = { accountId, keyId, actor: "user:99", signature: null } as const;
    const order = { network: "BSC", currency: "eth", toAddress: OUTSIDE, amount };
    const clientReference = `other${++requests}`;
    try {
      return (await createWithdrawal(deps, { ...order, caller, clientReference })).row.status;
    } catch (error) {
      if (error instanceof Refused) return error.code;
      throw error;
    }
  };
  return { ...ruled, payOther };
}

for (const currency of ["ETH", "eth", "Eth"]) {
  Deno.test(`contract 1: a rule for ${currency} covers ETH and eth, and adds them up`, async () => {
    await using ruled = await makeSpelled();
    const { currency: kept } = await makePolicy(ruled, {
      condition: "max_day",
      cap: "10",
      currency,
    });
    assert.equal(kept, currency === "Eth" ? "eth" : currency);
    assert.equal(await ruled.pay("6"), "pending");
    assert.equal(await ruled.payOther("4.1"), "policy_refused");
    assert.equal(await ruled.payOther("4"), "pending");
    assert.equal(await ruled.pay("0.1"), "policy_refused");
    const { accountId, deps } = ruled;
    const tested = { accountId, keyId: undefined, network: "BSC", currency: "ETH" };
    const { outcome } = await testPolicies(deps, { ...tested, toAddress: OUTSIDE, amount: "0.1" });
    assert.equal(outcome, "refuse");
  });
}

/** As an older version left it, which counted payments in the other spelling nowhere. */
async function countNothing({ deps: { db } }: Ruled): Promise<void> {
  const [row] = await db.rows(PolicyMeters, "WHERE split = ''");
  assert.ok(row);
  const marks = await db.rows(PolicyMarks, "WHERE id > 0");
  await db.write({
    reads: [
      read(PolicyMeters, [row.meterId, ""]),
      ...marks.map((mark) => read(PolicyMarks, [mark.id])),
    ],
    decide: (view) => {
      const before = view.get(PolicyMeters, [row.meterId, ""]);
      view.update(PolicyMeters, before, { added: "0", addedCount: 0, lastMarkMs: -1 });
      for (const mark of marks) view.remove(PolicyMarks, view.get(PolicyMarks, [mark.id]));
    },
  });
}

/** The statements of the update, on books as they were before it. */
async function update({ deps: { db } }: Ruled): Promise<void> {
  const found = (await loadMigrations()).find(({ version }) => version === 94);
  assert.ok(found);
  const statements = splitStatements(found.sql).filter((sql) => sql.startsWith("INSERT"));
  assert.equal(statements.length, 2);
  await db.execute(statements.map((sql) => ({ sql, args: [] })));
}

Deno.test("contract 1: the update reports rules kept for one spelling, and counts both for them", async () => {
  await using ruled = await makeSpelled();
  const { id } = await makePolicy(ruled, { condition: "max_day", cap: "10", currency: "eth" });
  const alone = await makePolicy(ruled, { condition: "max_payment", cap: "9", currency: "BNB" });
  await ruled.pay("6");
  ruled.clock.ms += 1000;
  await ruled.pay("3");
  await countNothing(ruled);
  await update(ruled);
  const again = { ...ruled, deps: await ruled.open() };
  const alerts = await openAlertsOf(again.deps.db, "rule_spelling");
  assert.deepEqual(alerts.map(({ subject }) => subject), [`policy:${id}`]);
  assert.notEqual(id, alone.id);
  assert.match(alerts[0]?.message ?? "", /was kept for eth and did not cover ETH\./);
  assert.equal(await ruled.pay("1.1", { on: again.deps }), "policy_refused");
  await cancelWithdrawal(again.deps, { id: 2, actor: "test" });
  assert.equal(await ruled.pay("4.1", { on: again.deps }), "policy_refused");
  assert.equal(await ruled.pay("4", { on: again.deps }), "pending");
  await recountRespelled(again.deps);
  assert.equal(await ruled.pay("0.1", { on: again.deps }), "policy_refused");
});

/** A limit of 10 that an older version kept for one spelling, and 6 of it used. */
async function makeRespelled() {
  const ruled = await makeSpelled();
  const { id } = await makePolicy(ruled, { condition: "max_day", cap: "10", currency: "eth" });
  await update(ruled);
  const [alert] = await openAlertsOf(ruled.deps.db, "rule_spelling");
  assert.ok(alert);
  // The database dates the update, and the rule is counted after it.
  const behindMs = Math.max(0, alert.createdAtMs - ruled.clock.ms);
  ruled.clock.ms += behindMs + MINUTE_MS;
  assert.equal(await ruled.pay("6"), "pending");
  ruled.clock.ms += MINUTE_MS;
  return { ...ruled, rule: () => ruled.deps.db.get(Policies, [id]) };
}

const MINUTE_MS = 60_000;

/** Stops in the middle, once the new meter has begun and before it has counted anything. */
async function beginRecount({ deps, rule }: Awaited<ReturnType<typeof makeRespelled>>) {
  const { catalog } = deps;
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const current = async () => {
    if (!(await rule()).isReady) {
      reached.resolve();
      await released.promise;
    }
    return await catalog.current();
  };
  const done = recountRespelled({ ...deps, catalog: { ...catalog, current } });
  await Promise.race([reached.promise, done]);
  return { done, release: released.resolve };
}

Deno.test("contract 1: a limit that is counted anew holds meanwhile, and other programs leave it", async () => {
  await using ruled = await makeRespelled();
  const first = await beginRecount(ruled);
  const counting = await ruled.rule();
  assert.deepEqual([counting.isActive, counting.isReady], [true, false]);
  assert.equal(await ruled.pay("0.1"), "policy_refused");
  const other = await ruled.open();
  assert.deepEqual(await ruled.rule(), counting);
  assert.equal(await ruled.pay("0.1", { on: other }), "policy_refused");
  first.release();
  await first.done;
  assert.deepEqual(await ruled.rule(), { ...counting, isReady: true });
  assert.equal(await ruled.pay("4.1", { on: other }), "policy_refused");
  assert.equal(await ruled.pay("4", { on: other }), "pending");
});

Deno.test("contract 1: a limit whose counting a program left off is counted by the next one", async () => {
  await using ruled = await makeRespelled();
  const first = await beginRecount(ruled);
  ruled.clock.ms += 2 * MINUTE_MS;
  assert.equal(await ruled.pay("0.1"), "policy_refused");
  const other = await ruled.open();
  const counted = await ruled.rule();
  assert.deepEqual([counted.isActive, counted.isReady], [true, true]);
  first.release();
  await first.done;
  assert.deepEqual(await ruled.rule(), counted, "The first one came too late");
  assert.equal(await ruled.pay("4.1", { on: other }), "policy_refused");
});

Deno.test("contract 1: programs that start at once count a limit anew once", async () => {
  await using ruled = await makeRespelled();
  const { meterId } = await ruled.rule();
  const others = await Promise.all([ruled.open(), ruled.open()]);
  const counted = await ruled.rule();
  const facts = [counted.isActive, counted.isReady, counted.meterId];
  assert.deepEqual(facts, [true, true, Number(meterId) + 1]);
  for (const on of others) assert.equal(await ruled.pay("4.1", { on }), "policy_refused");
});

Deno.test("contract 1: a limit that is switched off while it is counted anew doesn't hold", async () => {
  await using ruled = await makeRespelled();
  const first = await beginRecount(ruled);
  const { id } = await setPolicyActive(ruled.deps, {
    id: (await ruled.rule()).id,
    isActive: false,
    actor: "test",
  });
  first.release();
  await first.done;
  assert.equal((await ruled.rule()).isActive, false);
  assert.equal(await ruled.pay("1"), "pending");
  await setPolicyActive(ruled.deps, { id, isActive: true, actor: "test" });
  assert.equal(await ruled.pay("3.1"), "policy_refused");
});

Deno.test("contract 1: a list of one symbol has what is booked under each of its spellings", async () => {
  await using ruled = await makeSpelled();
  await ruled.pay("6");
  await ruled.payOther("4");
  const asked = { accountId: null, values: { currency: "Eth" }, cursor: null, limit: 10 };
  const { rows } = await rowsOf(ruled.deps, WITHDRAWALS, asked);
  assert.deepEqual(rows.map((row) => row.currency), ["eth", "ETH"]);
});
