import assert from "node:assert/strict";
import { AuditTrail } from "../../../src/books/audit_trail.ts";
import { CreditTrail } from "../../../src/books/credit_trail.ts";
import { recordAudit } from "../../../src/books/records.ts";
import { CREDITS_NOTED } from "../../../src/books/trail.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import {
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { alertsOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const OTHER_PAYEE = "0x00000000000000000000000000000000000B0b01";
const PAYEE = "0x00000000000000000000000000000000000A11cE";

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

async function leaveUnsigned(
  world: World,
  { to = PAYEE, amount = "1" }: { to?: string; amount?: string } = {},
): Promise<number> {
  const { deps, merchant: { accountId, credentials: { keyId } } } = world;
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    network: "ETH",
    currency: "ETH",
    toAddress: to,
    amount,
    clientReference: crypto.randomUUID(),
  });
  return row.id;
}

/** The first row of the log after a gap follows nothing that is there: this is it. */
async function writeAnyRow({ deps, merchant: { accountId } }: World): Promise<void> {
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
}

const COLUMNS = "status, transfer_id, tx_hash, broadcast_at_ms, confirmed_at_ms, seal";
const HEAD = "audit_id, audit_hash, audit_seal, balances_sum";

/** Valid rows from before it was paid, kept to be put back. */
const keep = (id: number) => [
  `CREATE TABLE thief AS SELECT ${COLUMNS} FROM withdrawals WHERE id = ${id}`,
  "CREATE TABLE thief_balance AS SELECT * FROM balances",
  `CREATE TABLE thief_head AS SELECT ${HEAD} FROM write_clock`,
];

/** The withdrawal and its money are put back; only the log still shows the payment. */
const putBack = (id: number) => [
  `UPDATE withdrawals SET (${COLUMNS}) = (SELECT * FROM thief) WHERE id = ${id}`,
  `UPDATE balances SET (balance, held, seal) =
(SELECT t.balance, t.held, t.seal FROM thief_balance AS t WHERE t.account_id = balances.account_id)`,
  "DROP TRIGGER ledger_entries_no_delete",
  "DROP TRIGGER audit_log_no_update",
  "DROP TRIGGER audit_log_no_delete",
  `DELETE FROM ledger_entries WHERE withdrawal_id = ${id} AND kind = 'debit'`,
  "DELETE FROM events",
  `UPDATE signed_payments SET withdrawal_id = NULL WHERE withdrawal_id = ${id}`,
];

const ITS_ROWS = (id: number) =>
  `subject = 'withdrawal:${id}' AND action <> 'withdrawal.requested'`;

/** After a restart that log looks whole, but it doesn't fit what was signed. */
const PUT_BACK_WHOLE = "ends before it, its head too";

const LOG_FORGERIES: Readonly<Record<string, (id: number) => string[]>> = {
  "tells it of another one": (id) => [
    `UPDATE audit_log SET subject = 'withdrawal:9' WHERE ${ITS_ROWS(id)}`,
  ],
  "lacks what became of it": (id) => [`DELETE FROM audit_log WHERE ${ITS_ROWS(id)}`],
  "lacks all of it": (id) => [`DELETE FROM audit_log WHERE subject = 'withdrawal:${id}'`],
  [PUT_BACK_WHOLE]: () => [
    "DELETE FROM audit_log WHERE id > (SELECT audit_id FROM thief_head)",
    `UPDATE write_clock SET (${HEAD}) = (SELECT * FROM thief_head)`,
  ],
};

for (const [what, forge] of Object.entries(LOG_FORGERIES)) {
  for (const isRestarted of [false, true]) {
    const when = isRestarted ? " after a restart" : "";
    Deno.test(`a paid withdrawal isn't paid again${when} when its old rows are put back and the log ${what}`, async () => {
      await using anvil = await startAnvil();
      await using world = await startPayingWorld({ anvil });
      const id = await leaveUnsigned(world);
      await sql(world, ...keep(id));
      await world.round({ aheadMs: 30_000 });
      await settleAll(world);
      assert.equal(await statusOf(world.merchant.api, id), "confirmed");
      const spoil = () => sql(world, ...putBack(id), ...forge(id));
      await spoil();
      if (isRestarted) await world.restart();
      await world.round({ aheadMs: 60_000 });
      await settleAll(world);
      assert.equal(await receivedBy(anvil, PAYEE), ETHER);
      const reported = (await alertsOf(world.deps)).map(({ subject }) => subject);
      const isLogWhole = isRestarted && forge === LOG_FORGERIES[PUT_BACK_WHOLE];
      const subject = isLogWhole ? "signed_payments:1" : `account:1 withdrawals:${id}`;
      assert.ok(reported.includes(subject), String(reported));
    });
  }
}

Deno.test("after the log was cut, new withdrawals are paid, and waiting ones aren't", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "1" }));
  const before = await leaveUnsigned(world);
  await sql(
    world,
    "DROP TRIGGER audit_log_no_delete",
    "DELETE FROM audit_log WHERE id = (SELECT max(id) FROM audit_log)",
  );
  await writeAnyRow(world);
  sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "2" }));
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, before), "pending");
  assert.equal(await receivedBy(anvil, PAYEE), 0n);
});

Deno.test("withdrawals from before the log was cut are cancelled before their account pays again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId } } = world;
  const before = await leaveUnsigned(world);
  await sql(
    world,
    "DROP TRIGGER audit_log_no_delete",
    "DELETE FROM audit_log WHERE id = (SELECT max(id) FROM audit_log)",
  );
  await writeAnyRow(world);
  await world.round({ aheadMs: 60_000 });
  const why = `Nothing proves that withdrawal ${before} was not paid already: the audit log is ` +
    "not whole since it was requested";
  const [alert] = await alertsOf(deps);
  assert.ok(alert!.message.startsWith(why), alert!.message);
  const resume = () => resumeTampered(deps, { accountId, actor: "test" });
  await assert.rejects(resume(), { message: why });
  await cancelWithdrawal(deps, { id: before, actor: "test" });
  assert.equal((await resume()).lifted, 1);
  sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "2" }));
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, OTHER_PAYEE), 2n * ETHER);
  assert.deepEqual(await alertsOf(deps), []);
});

const BALANCE = "(balance, held, seal) = (SELECT balance, held, seal FROM thief)";

const SPENT_TWICE: Readonly<Record<string, string[]>> = {
  "and nothing else": [],
  "with an entry put in that explains it": [
    `INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after,
  held_after, note, created_at_ms)
SELECT account_id, network, currency, 'adjust', '90.0101', balance, held, 'test', 1 FROM thief`,
    `INSERT OR REPLACE INTO ledger_checks (account_id, network, currency, entry_id, balance, held)
SELECT account_id, network, currency, (SELECT max(id) FROM ledger_entries), balance, held FROM thief`,
  ],
  "with the entries that spent it taken out": [
    "DROP TRIGGER ledger_entries_no_delete",
    "DELETE FROM ledger_entries WHERE withdrawal_id IS NOT NULL",
  ],
};

const WAYS = Object.entries(SPENT_TWICE).flatMap(([what, more]) =>
  [false, true].map((isRestarted) => ({ what, more, isRestarted }))
);

for (const { what, more, isRestarted } of WAYS) {
  const when = isRestarted ? " after a restart" : "";
  Deno.test(`a balance that is put back isn't spent again${when}: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { api } = world.merchant;
    await sql(world, "CREATE TABLE thief AS SELECT * FROM balances");
    sentId(await withdraw(api, { to: PAYEE, amount: "90" }));
    await settleAll(world);
    await sql(world, `UPDATE balances SET ${BALANCE}`, ...more);
    if (isRestarted) await world.restart();
    assert.equal((await withdraw(api, { to: PAYEE, amount: "90" })).status, 502);
    await settleAll(world);
    assert.equal(await receivedBy(anvil, PAYEE), 90n * ETHER);
    const reported = (await alertsOf(world.deps)).map(({ subject }) => subject);
    assert.ok(reported.includes("balances:all"), String(reported));
  });
}

Deno.test("an answer about the log that arrives after a newer one changes nothing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps: { db } } = world;
  const id = await leaveUnsigned(world);
  const row = (await db.find(Withdrawals, [id]))!;
  const rows = await db.list(AuditLog, { subject: `withdrawal:${id}` });
  let late = 0;
  const slow: Db = {
    ...db,
    query: async (sql, args) => {
      const answer = await db.query(sql, args);
      // The second time it knows how far the log reached the first time.
      for (; late < 2; late++) await writeAnyRow(world);
      return answer;
    },
  };
  assert.equal(await new AuditTrail(slow).isUntouched(row, rows), true);
  assert.equal(late, 2);
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await statusOf(world.merchant.api, id), "confirmed");
});

Deno.test("however much was credited meanwhile, the log is read once for a waiting withdrawal", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, deps: { db } } = world;
  const id = await leaveUnsigned(world);
  const row = (await db.find(Withdrawals, [id]))!;
  const rows = await db.list(AuditLog, { subject: `withdrawal:${id}` });
  for (let part = 0; part < 21; part++) await noteCredits(deps, part);
  let read = 0;
  const counting: Db = {
    ...db,
    query: async (sql, args) => {
      const answer = await db.query(sql, args);
      if (/FROM audit_log WHERE id > /.test(sql)) read += answer.length;
      return answer;
    },
  };
  const trail = new AuditTrail(counting);
  assert.equal(await trail.isUntouched(row, rows), true);
  assert.ok(read >= 21);
  read = 0;
  await writeAnyRow(world);
  assert.equal(await trail.isUntouched(row, rows), true);
  assert.equal(read, 1);
});

Deno.test("of more credits than are remembered, the requested ones are found", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, deps: { db } } = world;
  for (let part = 0; part < 21; part++) await noteCredits(deps, part);
  const places = ["ETH/0/0", "ETH/20/9999", "ETH/21/0"];
  const trail = new CreditTrail(db);
  for (const sinceMs of [0, deps.clock.nowMs(), -1, 0]) {
    const proof = sinceMs > 0 ? "uncredited" : "credited";
    const proofs = await trail.prove(places.map((place) => ({ place, sinceMs })));
    assert.deepEqual(proofs, [proof, proof, "uncredited"], `since ${sinceMs}`);
  }
});

/** Notes old credits as for books from before the log noted each, but many more at once. */
async function noteCredits({ db, clock }: World["deps"], part: number): Promise<void> {
  const places = Array.from({ length: 10_000 }, (_, i) => `ETH/${part}/${i}`);
  const entry = { actor: "worker", action: CREDITS_NOTED, subject: "credits" } as const;
  await db.write({
    reads: [],
    decide: (view) =>
      void recordAudit(view, { ...entry, detail: { places }, nowMs: clock.nowMs() - 1 }),
  });
}

Deno.test("an old payout isn't paid again under the id of a new one", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const id = await leaveUnsigned(world);
  const hold = `withdrawal_id = ${id} AND kind = 'hold'`;
  await sql(
    world,
    `CREATE TABLE thief AS SELECT * FROM withdrawals WHERE id = ${id}`,
    `CREATE TABLE thief_hold AS SELECT * FROM ledger_entries WHERE ${hold}`,
  );
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
  sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "0.5" }));
  await settleAll(world);
  await sql(
    world,
    "PRAGMA foreign_keys = OFF",
    "DROP TRIGGER ledger_entries_no_delete",
    "DELETE FROM events",
    "DELETE FROM transactions",
    `UPDATE signed_payments SET withdrawal_id = NULL`,
    `DELETE FROM ledger_entries WHERE withdrawal_id = ${id}`,
    `DELETE FROM withdrawals WHERE id = ${id}`,
    `UPDATE sqlite_sequence SET seq = ${id - 1} WHERE name = 'withdrawals'`,
  );
  assert.equal(await leaveUnsigned(world, { to: OTHER_PAYEE, amount: "0.5" }), id);
  await sql(world, "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'withdrawals'");
  // The ledger is correct up to here, and more is held than the old one allows.
  sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "0.5" }));
  await leaveUnsigned(world, { to: OTHER_PAYEE, amount: "30" });
  await sql(
    world,
    `DELETE FROM ledger_entries WHERE ${hold}`,
    "INSERT INTO ledger_entries SELECT * FROM thief_hold",
    "INSERT OR REPLACE INTO withdrawals SELECT * FROM thief",
  );
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
});

Deno.test("signed bytes aren't signed again if the books couldn't record that they were sent", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const id = await leaveUnsigned(world);
  await sql(
    world,
    `CREATE TABLE thief AS SELECT ${COLUMNS} FROM withdrawals WHERE id = ${id}`,
    `CREATE TRIGGER thief_waits BEFORE INSERT ON audit_log WHEN new.action = 'withdrawal.sent'
BEGIN
  SELECT RAISE (ABORT, 'not yet');
END`,
  );
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
  await sql(
    world,
    "DROP TRIGGER thief_waits",
    `UPDATE withdrawals SET (${COLUMNS}) = (SELECT * FROM thief) WHERE id = ${id}`,
    `UPDATE signed_payments SET withdrawal_id = NULL WHERE withdrawal_id = ${id}`,
  );
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
  const reported = (await alertsOf(world.deps)).map(({ subject }) => subject);
  assert.ok(reported.includes(`account:1 withdrawals:${id}`), String(reported));
});

Deno.test("a repeated request isn't paid again when its row has lost its reference", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const order = { to: PAYEE, amount: "1", reference: "r" };
  const id = sentId(await withdraw(api, order));
  assert.equal((await withdraw(api, order)).status, 200);
  await settleAll(world);
  await sql(world, "UPDATE withdrawals SET client_reference = 'another'");
  assert.equal((await withdraw(api, order)).status, 503);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
  const reported = (await alertsOf(world.deps)).map(({ subject }) => subject);
  assert.ok(reported.includes(`account:1 withdrawals:${id}`), String(reported));
});

Deno.test("a paid withdrawal whose old row is put back isn't failed, and releases nothing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, hotWallet } } = world;
  const id = await leaveUnsigned(world, { amount: "10" });
  await sql(world, `CREATE TABLE thief AS SELECT ${COLUMNS} FROM withdrawals WHERE id = ${id}`);
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  await leaveUnsigned(world, { to: OTHER_PAYEE, amount: "30" });
  await sql(
    world,
    `UPDATE withdrawals SET (${COLUMNS}) = (SELECT * FROM thief) WHERE id = ${id}`,
    `UPDATE signed_payments SET withdrawal_id = NULL WHERE withdrawal_id = ${id}`,
  );
  await setBalance(anvil, hotWallet, 0n);
  await anvil.mine(1);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal((await deps.db.find(Withdrawals, [id]))?.status, "pending");
  const entries = await deps.db.list(LedgerEntries, { withdrawalId: id });
  assert.deepEqual(entries.map(({ kind }) => kind).toSorted(), ["debit", "hold"]);
  const reported = (await alertsOf(deps)).map(({ subject }) => subject);
  assert.ok(reported.includes(`account:1 withdrawals:${id}`), String(reported));
});
