import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import { raiseAlert } from "../../../src/books/alerts.ts";
import { CreditTrail } from "../../../src/books/credit_trail.ts";
import { Freezes, LedgerEntries } from "../../../src/books/table.ts";
import { confirmDeposits } from "../../../src/deposits/confirm.ts";
import { reverseDeposit } from "../../../src/deposits/reverse.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createMemory } from "../../../src/deps/memory.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { checkIntegrity } from "../../../src/integrity/manage_integrity.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { readRoot, writeRoot } from "../../../src/keys/root_secret.ts";
import { createVault } from "../../../src/keys/vault.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { Secrets } from "../../../src/store/tables/secrets.ts";
import { SEED, SEED_CONTEXT } from "../../../src/upkeep/open_key_ring.ts";
import { fixtures, readFixture, rebuild } from "../../store/upkeep/old_database.ts";
import { makePlace, TEST_MASTER_KEY } from "../../support/database/database.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { payIn } from "../../support/sweeping.ts";
import { alertsOf, allocate, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const NOT_FOLLOWED = /is not followed/;
const PAYEE = "0x00000000000000000000000000000000000A11cE";

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

async function openAlerts({ deps }: World): Promise<string[]> {
  const rows = await deps.db.query(
    "SELECT subject FROM alerts WHERE kind = 'tampered' AND open = 1 ORDER BY id",
  );
  return rows.map(({ subject }) => String(subject));
}

async function pausedAccounts({ deps }: World): Promise<number[]> {
  return [...new Set((await deps.db.rows(Freezes, "")).map(({ accountId }) => accountId))];
}

/** The ledger entries of deposits. */
async function entriesOf({ deps }: World): Promise<string[]> {
  const rows = await deps.db.rows(LedgerEntries, "WHERE transaction_id IS NOT NULL ORDER BY id");
  return rows.map(({ kind, amount }) => `${kind} ${amount}`);
}

async function statesOf({ deps }: World): Promise<string[]> {
  const rows = await deps.db.rows(Transactions, "WHERE direction = 'deposit' ORDER BY id");
  return rows.map(({ status }) => status);
}

async function balanceOf({ deps }: World): Promise<string> {
  const [row] = await deps.db.query("SELECT balance FROM balances WHERE account_id = 1");
  return String(row!.balance);
}

/** One ETH was paid in and credited: from which block on the chain has it. */
async function payOnce(world: World): Promise<number> {
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  const fromBlock = Number(await world.anvil.rpc("eth_blockNumber", []));
  await world.round();
  await sql(world, "CREATE TABLE thief AS SELECT * FROM transactions");
  await settleAll(world);
  assert.deepEqual(await entriesOf(world), ["credit 1"]);
  return fromBlock;
}

const readAgainFrom = (block: number) => [
  "DELETE FROM network_blocks",
  `UPDATE network_cursors SET scan_height = ${block - 1}`,
];

const FORGOTTEN = [
  "DROP TRIGGER ledger_entries_no_delete",
  "DELETE FROM events",
  "DELETE FROM ledger_entries WHERE transaction_id IS NOT NULL",
  "DELETE FROM ledger_checks",
];
const COLUMNS = "status, live, confirmed_at_ms, block_number, block_hash, amount, seal";

const LOG_LOST = [
  "DROP TRIGGER audit_log_no_delete",
  "DELETE FROM audit_log WHERE action = 'deposit.confirmed'",
];

/** Forgeries of a credited deposit, so that it would be credited again. */
const FORGERIES: Readonly<Record<string, readonly string[]>> = {
  "its row has failed": ["UPDATE transactions SET live = NULL, status = 'failed'"],
  "its row is another one's": ["UPDATE transactions SET tx_hash = '0x1', live = NULL"],
  "its row and its credit are gone": [...FORGOTTEN, "DELETE FROM transactions"],
  "its credit is gone, and its row is as it was before": [
    ...FORGOTTEN,
    `UPDATE transactions SET (${COLUMNS}) =
(SELECT ${COLUMNS} FROM thief WHERE thief.id = transactions.id)`,
  ],
  "all of that, and what the log tells of it": [
    ...FORGOTTEN,
    ...LOG_LOST,
    "DELETE FROM transactions",
  ],
  "its row has another amount, to be taken back": ["UPDATE transactions SET amount = '0.001'"],
  "its row has another amount, and is in no block": [
    "UPDATE transactions SET amount = '0.001', block_hash = NULL",
  ],
  "its row never came to a block": [
    "UPDATE transactions SET status = 'detected', block_hash = NULL, confirmed_at_ms = NULL",
  ],
};

for (const [what, forgery] of Object.entries(FORGERIES)) {
  Deno.test(`a payment is credited once, whatever the database says: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const fromBlock = await payOnce(world);
    await sql(world, ...forgery, ...readAgainFrom(fromBlock));
    for (let i = 0; i < 4; i++) await settleAll(world);
    assert.equal(await balanceOf(world), "101");
    assert.ok((await openAlerts(world)).length >= 1);
    assert.deepEqual(await pausedAccounts(world), [1]);
    assert.deepEqual(world.faults.filter((line) => NOT_FOLLOWED.test(line)), []);
  });
}

Deno.test("a payment credited before fails when found again, and an operator lets the account continue", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const fromBlock = await payOnce(world);
  await sql(world, "CREATE TABLE known AS SELECT * FROM transactions");
  await sql(
    world,
    "UPDATE transactions SET live = NULL, status = 'failed'",
    ...readAgainFrom(fromBlock),
  );
  await settleAll(world);
  assert.deepEqual(await statesOf(world), ["failed", "failed"]);
  assert.deepEqual(await openAlerts(world), ["account:1 transactions:2"]);
  assert.equal((await withdraw(world.merchant.api, { to: PAYEE, amount: "1" })).status, 503);
  await sql(
    world,
    `UPDATE transactions SET (${COLUMNS}) = (SELECT ${COLUMNS} FROM known) WHERE id = 1`,
  );
  assert.equal((await checkIntegrity(world.deps)).tampered, 0);
  await resumeTampered(world.deps, { accountId: 1, actor: "test" });
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.deepEqual(await openAlerts(world), []);
  assert.equal((await withdraw(world.merchant.api, { to: PAYEE, amount: "1" })).status, 200);
  assert.equal(await balanceOf(world), "101");
});

Deno.test("a credit taken back by hand is given again when its block is read once more", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const fromBlock = await payOnce(world);
  const order = { network: "ETH", fromBlock, toBlock: undefined, actor: "test" };
  for (let id = 1; id <= 3; id++) {
    const gone = {
      kind: "deposit_orphaned",
      subject: `transaction:${id}`,
      message: "gone",
    } as const;
    await raiseAlert(world.deps, gone);
    await reverseDeposit(world.deps, { id, note: "test", actor: "test" });
    assert.deepEqual(await alertsOf(world.deps), []);
    assert.equal(await balanceOf(world), "100");
    // The same if another program continues.
    if (id === 2) await world.restart();
    await rescan(world.deps, order);
    await settleAll(world);
    assert.equal(await balanceOf(world), "101");
  }
  assert.deepEqual(await statesOf(world), ["failed", "failed", "failed", "confirmed"]);
  assert.deepEqual(await openAlerts(world), []);
});

Deno.test("an amount that was raised before its credit isn't credited", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.round();
  await sql(world, "UPDATE transactions SET amount = '50'");
  for (let i = 0; i < 3; i++) await settleAll(world);
  assert.equal(await balanceOf(world), "100");
  assert.deepEqual(await openAlerts(world), ["account:1 transactions:1"]);
});

Deno.test("a deposit waits while the log proves nothing, and is credited once the log is right", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.round();
  await sql(
    world,
    "DROP TRIGGER audit_log_no_update",
    "CREATE TABLE thief_log AS SELECT id, action FROM audit_log ORDER BY id DESC LIMIT 1",
    "UPDATE audit_log SET action = 'nothing' WHERE id = (SELECT id FROM thief_log)",
  );
  await settleAll(world);
  assert.equal(await balanceOf(world), "100");
  assert.deepEqual(await statesOf(world), ["detected"]);
  assert.deepEqual(await openAlerts(world), ["account:1 transactions:1"]);
  await sql(
    world,
    "UPDATE audit_log SET action = t.action FROM thief_log AS t WHERE t.id = audit_log.id",
  );
  await settleAll(world);
  assert.equal(await balanceOf(world), "101");
});

Deno.test("one payment with two rows is credited once", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  const fromBlock = Number(await anvil.rpc("eth_blockNumber", []));
  await world.round();
  await sql(world, "UPDATE transactions SET live = NULL", ...readAgainFrom(fromBlock));
  await world.round();
  await sql(world, "DROP INDEX transactions_movement", "UPDATE transactions SET live = 1");
  for (let i = 0; i < 3; i++) await settleAll(world);
  assert.ok(["100", "101"].includes(await balanceOf(world)));
  assert.ok((await entriesOf(world)).length <= 1);
});

Deno.test("a payment that another program credits meanwhile is no reason for an alert", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.round();
  await anvil.mine(3);
  const { deps } = world;
  const network = (await deps.catalog.current()).network("ETH")!;
  await followNetwork(deps, network);
  let credited = 0;
  const db: Db = {
    ...deps.db,
    query: async (sql, args) => {
      if (/write_clock/.test(sql)) credited += await confirmDeposits(deps, network);
      return await deps.db.query(sql, args);
    },
  };
  const slow: Deps = { ...deps, db, memory: createMemory(db) };
  assert.equal(await confirmDeposits(slow, network), 0);
  assert.equal(credited, 1);
  assert.equal(await balanceOf(world), "101");
  assert.deepEqual(await openAlerts(world), []);
  assert.deepEqual(await pausedAccounts(world), []);
});

Deno.test("credits from before the log recorded them are recorded once", async () => {
  await using place = await makePlace();
  await rebuild(place, await readFixture(fixtures.find((name) => name.endsWith("11-12.jsonl"))!));
  const config = readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" });
  for (let opened = 1; opened <= 2; opened++) {
    const { deps: { db }, close } = await openGateway(config);
    const rows = await db.rows(Transactions, "WHERE direction = 'deposit' AND live = 1");
    const places = rows.filter(({ status }) => status !== "detected")
      .map(({ network, txHash, position }) => `${network}/${txHash}/${position}`);
    assert.ok(places.length > 0);
    const asked = places.map((place) => ({ place, sinceMs: 0 }));
    const proofs = await new CreditTrail(db).prove(asked);
    assert.deepEqual(new Set(proofs), new Set(["credited"]));
    const reported = await db.query("SELECT id FROM audit_log WHERE subject = 'credits'");
    assert.equal(reported.length, 2);
    await close();
  }
});

Deno.test("a payment credited before the log recorded credits isn't credited again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const fromBlock = await payOnce(world);
  const vault = await createVault(fromHex(TEST_MASTER_KEY)!);
  const { deps: { db } } = world;
  // Turns the books into those of a program that noted no credits; the log has no other such row.
  const stored = (await db.find(Secrets, [SEED]))!;
  const root = readRoot(await vault.open(stored.sealed, SEED_CONTEXT));
  const seals = { ...root.seals!, areCreditsNoted: false };
  const sealed = await vault.seal(writeRoot({ ...root, seals }), SEED_CONTEXT);
  await sql(world, `UPDATE secrets SET sealed = '${sealed}' WHERE name = 'seed'`);
  await world.restart();
  const [noted] = await world.deps.db.query(
    "SELECT detail FROM audit_log WHERE subject = 'credits' ORDER BY id LIMIT 1",
  );
  assert.match(String(noted!.detail), /^\{"places":\["ETH\/0x[0-9a-f]{64}\/0"\]\}$/);
  await sql(
    world,
    "UPDATE transactions SET live = NULL, status = 'failed'",
    ...readAgainFrom(fromBlock),
  );
  for (let i = 0; i < 2; i++) await settleAll(world);
  assert.equal(await balanceOf(world), "101");
});
