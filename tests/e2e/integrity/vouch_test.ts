import assert from "node:assert/strict";
import { CreditTrail } from "../../../src/books/credit_trail.ts";
import { recordAudit } from "../../../src/books/records.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { Freezes } from "../../../src/books/table.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { runIn } from "../../cli/world_host.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { payIn } from "../../support/sweeping.ts";
import { alertsOf, allocate, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const PAYEE = "0x00000000000000000000000000000000000A11cE";
const WHY = ["--reason", "the shop got no webhook", "--apply"];

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

const UNGUARDED = [
  "DROP TRIGGER IF EXISTS audit_log_no_delete",
  "DROP TRIGGER IF EXISTS audit_log_no_update",
  "DROP TRIGGER IF EXISTS ledger_entries_no_delete",
];

/** A row in the middle is lost. */
const LOSE_A_ROW = [
  ...UNGUARDED,
  "DELETE FROM audit_log WHERE id = (SELECT max(id) - 1 FROM audit_log)",
];

/** Damage to the log that can't be repaired. */
const BREAKS: Readonly<Record<string, readonly string[]>> = {
  "a row is lost": LOSE_A_ROW,
  "a row is altered": [
    ...UNGUARDED,
    "UPDATE audit_log SET action = 'nothing' WHERE id = (SELECT max(id) - 1 FROM audit_log)",
  ],
  "its end is lost": [
    ...UNGUARDED,
    "DELETE FROM audit_log WHERE id > (SELECT max(id) - 2 FROM audit_log)",
  ],
  "its head is lost": [
    "UPDATE write_clock SET audit_id = NULL, audit_hash = NULL, audit_seal = NULL",
  ],
  "all of it is lost": [...UNGUARDED, "DELETE FROM audit_log"],
};

async function statesOf({ deps }: World): Promise<string[]> {
  const rows = await deps.db.rows(Transactions, "WHERE direction = 'deposit' ORDER BY id");
  return rows.map(({ status }) => status);
}

async function balanceOf({ deps }: World): Promise<string> {
  const [row] = await deps.db.query("SELECT balance FROM balances WHERE account_id = 1");
  return String(row!.balance);
}

async function tamperedWith({ deps }: World): Promise<string[]> {
  return (await alertsOf(deps)).filter(({ kind }) => kind === "tampered")
    .map(({ subject }) => subject);
}

async function isPaused({ deps }: World): Promise<boolean> {
  return (await deps.db.rows(Freezes, "")).length > 0;
}

function resume({ deps }: World) {
  return resumeTampered(deps, { accountId: 1, actor: "test" });
}

/** One ETH was paid in and is detected, and then the log is broken. */
async function breakLog(world: World, statements: readonly string[] = LOSE_A_ROW): Promise<void> {
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.round();
  await sql(world, ...statements);
  await world.restart();
  for (let i = 0; i < 2; i++) await settleAll(world);
}

interface Found {
  readonly state: string;
  readonly reason: string | null;
}

async function vouch(world: World, ...words: readonly string[]) {
  const { code, out } = await runIn(world, ["deposit", "vouch", ...words, "--json"]);
  const answer = JSON.parse(out);
  return { code, found: Array.isArray(answer) ? answer as Found[] : [], error: answer.error };
}

for (const [what, statements] of Object.entries(BREAKS)) {
  for (const isOtherProgram of [false, true]) {
    const who = isOtherProgram ? "another program" : "a running program";
    Deno.test(`a deposit that a broken log proves nothing about is credited once vouched for by ${who}: ${what}`, async () => {
      await using anvil = await startAnvil();
      await using world = await startPayingWorld({ anvil });
      await breakLog(world, statements);
      assert.deepEqual(await statesOf(world), ["detected"]);
      assert.deepEqual(await tamperedWith(world), ["account:1 transactions:1"]);
      await assert.rejects(resume(world), {
        message: "Nothing proves that deposit 1 was not credited before: the audit log is not " +
          "whole since it was paid",
      });
      if (/head/.test(what)) {
        // With it, the sum of all balances is lost.
        const [left] = (await vouch(world, ...WHY)).found;
        assert.equal(left!.state, "left");
        assert.match(left!.reason!, /^Balances are not as this gateway wrote them/);
        await resumeTampered(world.deps, { accountId: null, actor: "test" });
      }
      const listed = await vouch(world);
      assert.deepEqual(listed.found.map(({ state }) => state), ["unproven"]);
      await settleAll(world);
      assert.deepEqual(await statesOf(world), ["detected"]);
      if (isOtherProgram) {
        const other = await openGateway(
          readConfig({ ...world.place.env, CPG_LOG_LEVEL: "silent" }),
        );
        assert.equal((await vouch({ ...world, deps: other.deps }, "1", ...WHY)).code, 0);
        await other.close();
      } else assert.equal((await vouch(world, ...WHY)).code, 0);
      await resume(world);
      for (let i = 0; i < 3; i++) await settleAll(world);
      assert.deepEqual(await statesOf(world), ["confirmed"]);
      assert.equal(await balanceOf(world), "101");
      assert.deepEqual(await tamperedWith(world), []);
      assert.equal(await isPaused(world), false);
      assert.equal((await withdraw(world.merchant.api, { to: PAYEE, amount: "1" })).status, 200);
    });
  }
}

Deno.test("once a break was vouched for, a new one pauses the account again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await breakLog(world);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: 2n * ETHER });
  await world.round();
  // The first is vouched for; the log is broken again before it could be credited.
  await vouch(world, "1", ...WHY);
  await sql(world, ...LOSE_A_ROW);
  await world.restart();
  for (let i = 0; i < 3; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["detected", "detected"]);
  assert.equal(await balanceOf(world), "100");
  assert.deepEqual(await tamperedWith(world), [
    "account:1 transactions:1",
    "account:1 transactions:2",
  ]);
  await assert.rejects(resume(world), { message: /^Nothing proves that deposit 1 / });
  assert.deepEqual((await vouch(world, ...WHY)).found.map(({ state }) => state), [
    "vouched",
    "vouched",
  ]);
  await resume(world);
  for (let i = 0; i < 3; i++) await settleAll(world);
  assert.equal(await balanceOf(world), "103");
  assert.equal(await isPaused(world), false);
});

const DEPOSIT = "status, live, confirmed_at_ms, block_number, block_hash, amount, seal";
const PUT_BACK = [
  ...UNGUARDED,
  `UPDATE transactions SET (${DEPOSIT}) =
(SELECT ${DEPOSIT} FROM thief WHERE thief.id = transactions.id)`,
];
const ITS_CREDIT = "action = 'deposit.confirmed'";
const NO_ENTRIES = [
  "DELETE FROM events",
  "DELETE FROM ledger_entries WHERE transaction_id IS NOT NULL",
  "DELETE FROM ledger_checks",
];

/** Forgeries after a deposit was vouched for and credited. */
const FORGERIES: Readonly<Record<string, readonly string[]>> = {
  "the row": PUT_BACK,
  "the row and the ledger": [...PUT_BACK, ...NO_ENTRIES],
  "all of that, and the log lost the credit": [
    ...[...PUT_BACK, ...NO_ENTRIES],
    `DELETE FROM audit_log WHERE ${ITS_CREDIT}`,
  ],
  "all of that, and the log tells of another credit": [
    ...[...PUT_BACK, ...NO_ENTRIES],
    `UPDATE audit_log SET detail = '{"place":"ETH/0x1/0"}' WHERE ${ITS_CREDIT}`,
  ],
  "all of that, and the word is the newest row of the log": [
    ...[...PUT_BACK, ...NO_ENTRIES],
    `DELETE FROM audit_log WHERE id > (SELECT id FROM audit_log WHERE action = 'deposit.vouched')`,
  ],
  "all of that, and the word stands in the log again": [
    ...[...PUT_BACK, ...NO_ENTRIES],
    `DELETE FROM audit_log WHERE ${ITS_CREDIT}`,
    `INSERT INTO audit_log (at_ms, actor, ip, action, subject, detail, hash)
SELECT at_ms, actor, ip, action, subject, detail, hash FROM audit_log
WHERE action = 'deposit.vouched'`,
  ],
};

for (const [what, forgery] of Object.entries(FORGERIES)) {
  Deno.test(`what was vouched for is credited once, whatever is put back later: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    await breakLog(world);
    await sql(world, "CREATE TABLE thief AS SELECT * FROM transactions");
    await vouch(world, ...WHY);
    await resume(world);
    for (let i = 0; i < 2; i++) await settleAll(world);
    assert.equal(await balanceOf(world), "101");
    await sql(world, ...forgery);
    for (const isRestarted of [false, true]) {
      if (isRestarted) await world.restart();
      for (let i = 0; i < 2; i++) await settleAll(world);
      assert.equal(await balanceOf(world), "101");
      assert.deepEqual(await tamperedWith(world), ["account:1 transactions:1"]);
    }
  });
}

const ITS_WORD = "action = 'deposit.vouched'";

/** Where a program dies: the write that would come then is refused, and it starts again. */
const CRASHES: Readonly<Record<string, string>> = {
  "before the vouching began": "action = 'deposit.vouching'",
  "after it began, before any word": ITS_WORD,
  "after the word, before the credit": ITS_CREDIT,
};

for (const [when, row] of Object.entries(CRASHES)) {
  Deno.test(`a crash leaves nothing that is credited by halves: ${when}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    await breakLog(world);
    await sql(
      world,
      `CREATE TRIGGER crash BEFORE INSERT ON audit_log WHEN new.${row}
BEGIN
  SELECT RAISE (ABORT, 'crashed');
END`,
    );
    const isSaid = row === ITS_CREDIT;
    assert.equal((await vouch(world, ...WHY)).code === 0, isSaid);
    await settleAll(world);
    await world.restart();
    await settleAll(world);
    assert.deepEqual(await statesOf(world), ["detected"]);
    assert.equal(await balanceOf(world), "100");
    await sql(world, "DROP TRIGGER crash");
    assert.equal((await vouch(world)).found.length, isSaid ? 0 : 1);
    await settleAll(world);
    assert.equal(await balanceOf(world), isSaid ? "101" : "100");
    if (!isSaid) await vouch(world, ...WHY);
    await resume(world);
    for (let i = 0; i < 2; i++) await settleAll(world);
    assert.equal(await balanceOf(world), "101");
  });
}

Deno.test("what an operator says was credited before fails, and the account goes on", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await breakLog(world);
  assert.equal((await vouch(world, "--as", "credited", ...WHY)).code, 2);
  assert.equal((await vouch(world, "1", "--as", "credited", ...WHY)).code, 0);
  await resume(world);
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["failed"]);
  assert.equal(await balanceOf(world), "100");
  assert.equal(await isPaused(world), false);
  // The next check finds it again and fails it again.
  await rescan(world.deps, { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" });
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["failed", "failed"]);
  assert.equal(await balanceOf(world), "100");
});

Deno.test("what was vouched for isn't credited if the ledger shows a credit by then", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await breakLog(world);
  await vouch(world, ...WHY);
  await sql(
    world,
    `INSERT INTO ledger_entries
(account_id, network, currency, kind, amount, balance_after, held_after, transaction_id, created_at_ms)
VALUES (1, 'ETH', 'ETH', 'credit', '1', '101', '0', 1, 1)`,
  );
  await resume(world);
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["detected"]);
  assert.equal(await balanceOf(world), "100");
  const [entry] = await world.deps.db.query("SELECT max(id) AS id FROM ledger_entries");
  const [alert] = (await alertsOf(world.deps)).filter(({ subject }) =>
    /transactions:1$/.test(subject)
  );
  assert.equal(
    alert?.message,
    `Deposit 1 was credited before, according to ledger entry ${entry!.id}: it is not used and ` +
      "account 1 pays nothing until you have looked",
  );
});

Deno.test("nobody vouches without a reason, or for what needs it not", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  assert.deepEqual((await vouch(world)).found, []);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.round();
  const errorOf = async (...words: readonly string[]) => {
    const { code, error } = await vouch(world, ...words);
    return [code, error.message];
  };
  assert.deepEqual(await errorOf("1", "--apply"), [2, "--apply needs --reason"]);
  assert.deepEqual(await errorOf("9", ...WHY), [1, "Transaction 9 is not a deposit"]);
  const proven = "The audit log proves that deposit 1 was not credited before: nobody needs to " +
    "vouch for it";
  assert.deepEqual(await errorOf("1", ...WHY), [1, proven]);
  assert.deepEqual(await errorOf("1", "--as", "credited", ...WHY), [1, proven]);
  await settleAll(world);
  assert.deepEqual(await errorOf("1", ...WHY), [
    1,
    "Deposit 1 is confirmed: it is not waiting to be credited",
  ]);
});

/** Evidence that a deposit was credited, or is none, after an attacker has put back its row. */
const DOUBTS: Readonly<Record<string, readonly [statements: readonly string[], why: RegExp]>> = {
  "the log": [NO_ENTRIES, /^It was credited before, according to row \d+ of the audit log$/],
  "the log, with a forged reversal": [
    [
      ...NO_ENTRIES,
      `INSERT INTO audit_log (id, at_ms, actor, action, subject, detail, hash)
SELECT (SELECT max(id) FROM old_log), at_ms, actor, 'deposit.vanished', subject, detail, hash
FROM audit_log WHERE ${ITS_CREDIT}`,
    ],
    /^It was credited before, according to row \d+ of the audit log$/,
  ],
  "the ledger": [
    [`DELETE FROM audit_log WHERE ${ITS_CREDIT}`],
    /^It was credited before, according to ledger entry \d+$/,
  ],
  "another row": [
    [
      ...[`DELETE FROM audit_log WHERE ${ITS_CREDIT}`, ...NO_ENTRIES],
      `INSERT INTO transactions SELECT * FROM (SELECT * FROM credited) WHERE id = 2`,
    ],
    /^It was credited before, according to transaction 2$/,
  ],
  "the balances": [
    [
      ...[`DELETE FROM audit_log WHERE ${ITS_CREDIT}`, ...NO_ENTRIES],
      "UPDATE balances SET (balance, seal) = (SELECT balance, seal FROM thief_balance)",
    ],
    /^Balances are not as this gateway wrote them/,
  ],
  "its own row": [["UPDATE transactions SET amount = '5'"], /^Its row is not as this gateway/],
};

for (const [who, [statements, why]] of Object.entries(DOUBTS)) {
  Deno.test(`nobody vouches against what is known: ${who}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { address } = await allocate(world.merchant.api);
    await payIn(world, { to: address, raw: ETHER });
    await world.round();
    await sql(
      world,
      "CREATE TABLE thief AS SELECT * FROM transactions",
      "CREATE TABLE thief_balance AS SELECT * FROM balances",
    );
    await settleAll(world);
    assert.equal(await balanceOf(world), "101");
    for (let i = 0; i < 3; i++) await writeAnyRow(world);
    await sql(
      world,
      "CREATE TABLE old_log AS SELECT max(id) - 1 AS id FROM audit_log",
      "CREATE TABLE credited AS SELECT * FROM transactions",
      "UPDATE credited SET id = 2, live = NULL",
      ...PUT_BACK,
      "DELETE FROM audit_log WHERE id = (SELECT id FROM old_log)",
      ...statements,
    );
    await world.restart();
    const { code, found } = await vouch(world, ...WHY);
    assert.equal(code, 1);
    assert.deepEqual(found.map(({ state }) => state), ["left"]);
    assert.match(found[0]!.reason!, why);
    for (let i = 0; i < 2; i++) await settleAll(world);
    assert.notEqual(await balanceOf(world), "102");
  });
}

Deno.test("nobody vouches for coins that are not there, and what was vouched for waits for them", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await breakLog(world);
  const { toAddress } = (await world.deps.db.find(Transactions, [1]))!;
  await setBalance(anvil, toAddress, 0n);
  await settleAll(world);
  const { found } = await vouch(world, ...WHY);
  assert.deepEqual(found.map(({ reason }) => reason), [
    `${toAddress} holds 0, of which 0 were credited before`,
  ]);
  await setBalance(anvil, toAddress, ETHER);
  await settleAll(world);
  await vouch(world, ...WHY);
  await setBalance(anvil, toAddress, 0n);
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["detected"]);
  assert.ok((await alertsOf(world.deps)).some(({ kind }) => kind === "deposit_not_covered"));
});

Deno.test("nobody vouches for coins that another deposit waits for too", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  for (let i = 0; i < 2; i++) await payIn(world, { to: address, raw: ETHER });
  await world.round();
  await sql(world, ...LOSE_A_ROW);
  await world.restart();
  for (let i = 0; i < 2; i++) await settleAll(world);
  await setBalance(anvil, address, ETHER);
  await settleAll(world);
  const { found } = await vouch(world, "2", ...WHY);
  assert.deepEqual(found.map(({ state }) => state), ["left"]);
  await vouch(world, "1", "--as", "credited", ...WHY);
  assert.equal((await vouch(world, "2", ...WHY)).code, 0);
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["failed", "confirmed"]);
});

const HOUR_MS = 3_600_000;

Deno.test("a deposit that was paid long after the break is credited beside one that waits", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await breakLog(world);
  for (let i = 0; i < 2; i++) await writeAnyRow(world);
  const { address } = await allocate(world.merchant.api);
  await anvil.rpc("evm_increaseTime", [3 * HOUR_MS / 1_000]);
  await payIn(world, { to: address, raw: 2n * ETHER });
  await world.round({ aheadMs: 3 * HOUR_MS });
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await statesOf(world), ["detected", "confirmed"]);
  assert.equal(await balanceOf(world), "102");
  assert.deepEqual(await tamperedWith(world), ["account:1 transactions:1"]);
});

Deno.test("a log that stays broken is not read from end to end each time it is asked", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await breakLog(world);
  for (let i = 0; i < 50; i++) await writeAnyRow(world);
  const { db } = world.deps;
  let read = 0;
  const counting: Db = {
    ...db,
    query: async (sql, args) => {
      const answer = await db.query(sql, args);
      if (/FROM audit_log WHERE id > /.test(sql)) read += answer.length;
      return answer;
    },
  };
  const trail = new CreditTrail(counting);
  const payments = [{ place: "ETH/0x1/0", sinceMs: 0 }];
  assert.deepEqual(await trail.prove(payments), [undefined]);
  assert.ok(read > 50);
  read = 0;
  for (let i = 0; i < 3; i++) assert.deepEqual(await trail.prove(payments), [undefined]);
  // Each look reads the row that doesn't follow.
  assert.equal(read, 3);
});

for (const [what, statements] of Object.entries(BREAKS)) {
  Deno.test(`a wallet pays again after a broken log once an operator accepts its newest payment: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const pay = async () => (await withdraw(world.merchant.api, { to: PAYEE, amount: "1" })).status;
    assert.equal(await pay(), 200);
    await settleAll(world);
    const accept = ["integrity", "accept", "--table", "signed_transactions", "--row", "1", "--yes"];
    assert.match(
      (await runIn(world, accept)).err,
      /Row 1 of signed_transactions is as this gateway/,
    );
    await sql(world, ...statements);
    await world.restart();
    assert.notEqual(await pay(), 200);
    if (/head/.test(what)) await resumeTampered(world.deps, { accountId: null, actor: "test" });
    if (!await isPaused(world)) assert.notEqual(await pay(), 200);
    await assert.rejects(resume(world), {
      message:
        /^Nothing proves that 0x[0-9a-f]{64} is the newest payment of its wallet: .* since it was signed$/,
    });
    assert.equal((await runIn(world, accept)).code, 0);
    await resume(world);
    for (let i = 0; i < 2; i++) {
      assert.equal(await pay(), 200);
      await settleAll(world);
      await world.restart();
    }
    assert.equal(await isPaused(world), false);
    // A new break has to be judged again.
    await sql(world, ...LOSE_A_ROW);
    await world.restart();
    assert.notEqual(await pay(), 200);
    assert.equal(await isPaused(world), true);
  });
}

async function writeAnyRow({ deps: { db, clock } }: World): Promise<void> {
  const entry = {
    actor: "test",
    action: "note.added",
    subject: "test",
    nowMs: clock.nowMs(),
  } as const;
  await db.write({ reads: [], decide: (view) => recordAudit(view, entry) });
}
