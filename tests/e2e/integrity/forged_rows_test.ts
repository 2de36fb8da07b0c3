import assert from "node:assert/strict";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { findStop, resumeSigning, stopSigning } from "../../../src/integrity/manage_stop.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { Freezes } from "../../../src/books/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { alertsOf, allocate, balanceOf } from "../../support/views.ts";
import { ETHER } from "../../support/payers.ts";
import {
  fundMerchant,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { payIn, RECEIVER, signedFor, startSweepingWorld } from "../../support/sweeping.ts";
import type { World, WorldMerchant } from "../../support/world.ts";

const THIEF = "0x000000000000000000000000000000000000dEaD";
const PAYEE = "0x00000000000000000000000000000000000A11cE";
const NOT_FOLLOWED = /is not followed/;

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

/** The API shows nothing of a row that isn't genuine. */
async function storedStatus({ deps, merchant: { api } }: World, id: number): Promise<string> {
  assert.equal((await api.get(`/v1/withdrawals/${id}`)).status, 503);
  return (await deps.db.find(Withdrawals, [id]))!.status;
}

async function pausedAccounts({ deps }: World): Promise<number[]> {
  return [...new Set((await deps.db.rows(Freezes, "")).map(({ accountId }) => accountId))];
}

/** The id of a withdrawal whose program stopped before it signed. */
async function leaveUnsigned(world: World, amount = "1"): Promise<number> {
  const { deps, merchant: { accountId, credentials: { keyId } } } = world;
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    network: "ETH",
    currency: "ETH",
    toAddress: PAYEE,
    amount,
    clientReference: crypto.randomUUID(),
  });
  return row.id;
}

/** A program that changes a setting reloads all of them. */
async function readSetUpAgain({ deps, merchant: { accountId } }: World): Promise<void> {
  await createApiKey(deps, {
    accountId,
    label: "another",
    permissions: [],
    ipList: [],
    rateLimit: 1,
    actor: "test",
  });
}

const order = (reference: string, amount = "1") => ({
  network: "ETH",
  currency: "ETH",
  to_address: PAYEE,
  amount,
  client_reference: reference,
});

/** Everybody else is served as if nothing had happened. */
async function othersArePaid(world: World, other: WorldMerchant): Promise<void> {
  const before = await receivedBy(world.anvil, PAYEE);
  const id = sentId(await other.api.post("/v1/withdrawals", order(crypto.randomUUID())));
  await settleAll(world);
  assert.equal(await statusOf(other.api, id), "confirmed");
  assert.equal(await receivedBy(world.anvil, PAYEE), before + ETHER);
  assert.deepEqual(world.faults.filter((line) => NOT_FOLLOWED.test(line)), []);
}

async function secondMerchant(world: World): Promise<WorldMerchant> {
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  return other;
}

const NEW_ROW = `INSERT INTO withdrawals
  (account_id, key_id, network, currency, to_address, amount, fee, status, requested_at_ms`;
const NEW_VALUES = (keyId: string) =>
  `VALUES (1, '${keyId}', 'ETH', 'ETH', '${THIEF}', '5', '0', 'pending', 1`;

/** Rows that a thief writes to have a withdrawal paid. `id` is one that waits. */
const PAYOUT_FORGERIES: Readonly<Record<string, (at: { id: number; keyId: string }) => string[]>> =
  {
    "a row put in": ({ keyId }) => [`${NEW_ROW}) ${NEW_VALUES(keyId)})`],
    "a row put in with the seal of a real one": ({ id, keyId }) => [
      `${NEW_ROW}, seal) ${NEW_VALUES(keyId)}, (SELECT seal FROM withdrawals WHERE id = ${id}))`,
    ],
    "a row put in with a hold of its own": ({ keyId }) => [
      `${NEW_ROW}) ${NEW_VALUES(keyId)})`,
      `INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after,
  held_after, withdrawal_id, created_at_ms)
VALUES (1, 'ETH', 'ETH', 'hold', '5', '100', '5', (SELECT max(id) FROM withdrawals), 1)`,
    ],
    "another recipient": ({ id }) => [
      `UPDATE withdrawals SET to_address = '${THIEF}' WHERE id = ${id}`,
    ],
    "another amount": ({ id }) => [`UPDATE withdrawals SET amount = '50' WHERE id = ${id}`],
    "a fee that was charged and now is paid": ({ id }) => [
      `UPDATE withdrawals SET amount = '1.0051', fee = '0' WHERE id = ${id}`,
    ],
    "decimals of the currency": () => [
      "UPDATE currencies SET decimals = 19 WHERE symbol = 'ETH'",
      "UPDATE write_clock SET config_version = config_version + 1",
    ],
    "the network's chain": () => [
      "UPDATE networks SET rpc_urls = '[\"http://127.0.0.1:1\"]'",
      "UPDATE write_clock SET config_version = config_version + 1",
    ],
    "a hold that was taken out": ({ id }) => [
      "DROP TRIGGER ledger_entries_no_delete",
      `DELETE FROM ledger_entries WHERE withdrawal_id = ${id}`,
    ],
    "all seals stripped": () => [
      "UPDATE withdrawals SET seal = NULL",
      "UPDATE balances SET seal = NULL",
      "UPDATE ledger_entries SET seal = NULL",
      "UPDATE addresses SET seal = NULL",
    ],
  };

for (const [what, forge] of Object.entries(PAYOUT_FORGERIES)) {
  Deno.test(`a payout isn't signed after somebody wrote to the database: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { keyId } = world.merchant.credentials;
    const id = await leaveUnsigned(world);
    await sql(world, ...forge({ id, keyId }));
    await readSetUpAgain(world);
    await world.round({ aheadMs: 30_000 });
    await settleAll(world);
    assert.deepEqual(await signedFor(world, "withdrawal"), await paidGenuinely(world, what));
    assert.equal(await receivedBy(anvil, THIEF), 0n);
    assert.ok((await openAlerts(world)).length >= 1);
  });
}

/** The real row beside an inserted one is paid before its account is paused, or waits. */
async function paidGenuinely(world: World, what: string) {
  const rows = await signedFor(world, "withdrawal");
  if (!what.startsWith("a row put in")) return [];
  assert.ok(
    rows.every(({ toAddress }) => toAddress === PAYEE.toLowerCase() || toAddress === PAYEE),
  );
  return rows;
}

Deno.test("an account with a tampered row is paused as a whole, and no other one", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const other = await secondMerchant(world);
  const id = await leaveUnsigned(world);
  await sql(world, `UPDATE withdrawals SET to_address = '${THIEF}' WHERE id = ${id}`);
  await world.round({ aheadMs: 30_000 });
  assert.deepEqual(await openAlerts(world), [`account:1 withdrawals:${id}`]);
  assert.deepEqual(await pausedAccounts(world), [1]);
  const refused = await world.merchant.api.post("/v1/withdrawals", order("next"));
  assert.equal(refused.status, 503);
  await othersArePaid(world, other);
  assert.equal(await storedStatus(world, id), "pending");
});

Deno.test("an amount rewritten after it was sent stops neither the network nor other accounts", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const other = await secondMerchant(world);
  await anvil.rpc("evm_setAutomine", [false]);
  const id = sentId(await world.merchant.api.post("/v1/withdrawals", order("sent")));
  await sql(world, `UPDATE withdrawals SET amount = '90' WHERE id = ${id}`);
  await anvil.rpc("evm_setAutomine", [true]);
  await settleAll(world);
  await othersArePaid(world, other);
  assert.equal(await storedStatus(world, id), "broadcasted");
  assert.deepEqual(await openAlerts(world), [`account:1 withdrawals:${id}`]);
  // Once repaired, it continues by itself.
  await sql(world, `UPDATE withdrawals SET amount = '1' WHERE id = ${id}`);
  await settleAll(world);
  assert.equal(await statusOf(world.merchant.api, id), "confirmed");
});

const REPLAYS: Readonly<Record<string, (id: number) => string[]>> = {
  "its row alone": () => [],
  "its row, and the debit": (id) => [
    "DROP TRIGGER ledger_entries_no_delete",
    `DELETE FROM ledger_entries WHERE withdrawal_id = ${id} AND kind = 'debit'`,
  ],
  "its row, the debit and what was signed": (id) => [
    "DROP TRIGGER ledger_entries_no_delete",
    `DELETE FROM ledger_entries WHERE withdrawal_id = ${id} AND kind = 'debit'`,
    "DELETE FROM events",
    "DELETE FROM transactions",
    `UPDATE signed_payments SET withdrawal_id = NULL WHERE withdrawal_id = ${id}`,
  ],
};

for (const [what, more] of Object.entries(REPLAYS)) {
  Deno.test(`a paid withdrawal isn't paid again when all of this is put back: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const id = await leaveUnsigned(world);
    const columns = "status, transfer_id, tx_hash, broadcast_at_ms, confirmed_at_ms, seal";
    await sql(
      world,
      `CREATE TABLE thief AS SELECT ${columns} FROM withdrawals WHERE id = ${id}`,
      "CREATE TABLE thief_balance AS SELECT * FROM balances",
    );
    await world.round({ aheadMs: 30_000 });
    await settleAll(world);
    assert.equal(await statusOf(world.merchant.api, id), "confirmed");
    assert.equal(await receivedBy(anvil, PAYEE), ETHER);
    await sql(
      world,
      `UPDATE withdrawals SET (${columns}) = (SELECT * FROM thief) WHERE id = ${id}`,
      `UPDATE balances SET (balance, held, seal) =
(SELECT t.balance, t.held, t.seal FROM thief_balance AS t WHERE t.account_id = balances.account_id)`,
      ...more(id),
    );
    await world.round({ aheadMs: 60_000 });
    await settleAll(world);
    assert.equal(await receivedBy(anvil, PAYEE), ETHER);
    const reported = await openAlerts(world);
    assert.ok(reported.includes(`account:1 withdrawals:${id}`), String(reported));
  });
}

Deno.test("a rewritten balance, or a forged manual entry, buys nothing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  await sql(
    world,
    "UPDATE balances SET balance = '150'",
    `INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after,
  held_after, note, created_at_ms)
VALUES (1, 'ETH', 'ETH', 'adjust', '50', '150', '0', 'test', 1)`,
  );
  const refused = await api.post("/v1/withdrawals", order("rich", "120"));
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.deepEqual(await openAlerts(world), ["account:1 balances:1/ETH/ETH"]);
  assert.equal(await receivedBy(anvil, PAYEE), 0n);
});

Deno.test("a forged deposit isn't credited, nor one to an address that was given another owner", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const other = await secondMerchant(world);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await sql(
    world,
    `INSERT INTO transactions (account_id, network, currency, direction, status, tx_hash, position,
  live, from_address, to_address, amount, block_number, block_hash, sender, sender_nonce, address_id,
  is_below_minimum, created_at_ms)
SELECT 2, 'ETH', 'ETH', 'deposit', 'detected', b.hash, 0, 1, '0xF', '${address}', '9', b.height, b.hash,
  '0xF', 0, (SELECT max(id) FROM addresses), 0, 1
FROM network_blocks AS b LIMIT 1`,
    `UPDATE addresses SET account_id = 2 WHERE address = '${address}'`,
  );
  await settleAll(world);
  await settleAll(world);
  assert.deepEqual(await balanceOf(other.api), { balance: "100", held: "0", available: "100" });
  assert.ok((await openAlerts(world)).length >= 1);
  assert.deepEqual(world.faults.filter((line) => NOT_FOLLOWED.test(line)), []);
});

const SWEEP_FORGERIES: Readonly<Record<string, string>> = {
  "the receiving wallet": `UPDATE receiving_wallets SET address = '${THIEF}'`,
  "the address's owner, who has another receiving wallet":
    "UPDATE addresses SET account_id = 2 WHERE purpose = 'deposit'",
  "whose sweep it is": "UPDATE sweeps SET account_id = 2",
};

for (const [what, forgery] of Object.entries(SWEEP_FORGERIES)) {
  Deno.test(`nothing is swept to where somebody wrote in the database: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startSweepingWorld({ anvil });
    const thief = await world.addMerchant("Thief");
    const { accountId } = thief;
    await setReceivingWallet(world.deps, {
      accountId,
      network: "ETH",
      address: THIEF,
      actor: "test",
    });
    const { address } = await allocate(world.merchant.api);
    await payIn(world, { to: address, raw: ETHER });
    await anvil.mine(1);
    await world.round();
    await sql(world, forgery);
    await world.turn(3);
    await sql(world, forgery);
    await world.turn(2);
    assert.equal(await receivedBy(anvil, THIEF), 0n);
    if (what === "the receiving wallet") {
      assert.equal(await receivedBy(anvil as Anvil, RECEIVER), 0n);
      assert.deepEqual(await openAlerts(world), ["account:1 receiving_wallets:1/ETH"]);
    }
    assert.deepEqual(world.faults.filter((line) => NOT_FOLLOWED.test(line)), []);
  });
}

Deno.test("an API key whose row was rewritten opens nothing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, credentials: { keyId } } = world.merchant;
  assert.equal((await api.get("/v1/balances")).status, 200);
  await sql(
    world,
    "UPDATE api_keys SET permissions = '[]', ip_list = '[]', account_id = 1, rate_limit = 9",
    "UPDATE write_clock SET config_version = config_version + 1",
  );
  await readSetUpAgain(world);
  const { status, body } = await api.get("/v1/balances");
  assert.deepEqual([status, body.message], [401, "Invalid signature"]);
  assert.deepEqual(await openAlerts(world), [`account:1 api_keys:${keyId}`]);
});

Deno.test("an API key rewritten while in use opens nothing within a second or two", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, credentials: { keyId } } = world.merchant;
  const balances = () => api.get("/v1/balances");
  assert.equal((await balances()).status, 200);
  await sql(world, "UPDATE api_keys SET ip_list = '[]', rate_limit = 9");
  const { body } = await eventually(balances, { until: ({ status }) => status !== 200 });
  assert.equal(body.message, "Invalid signature");
  assert.deepEqual(await openAlerts(world), [`account:1 api_keys:${keyId}`]);
});

Deno.test("a stop deleted from the database stops everything again, until an operator resumes", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  for (const isRestarted of [false, true]) {
    const id = await leaveUnsigned(world);
    await stopSigning(deps, { reason: "a key leaked", actor: "test" });
    await sql(world, "DELETE FROM stops", "DELETE FROM alerts");
    if (isRestarted) await world.restart();
    await world.round({ aheadMs: 30_000 });
    await settleAll(world);
    assert.deepEqual(await signedFor(world, "withdrawal"), []);
    assert.match((await findStop(world.deps.db))!.reason!, /taken out of the database/);
    const alerts = await alertsOf(world.deps);
    assert.deepEqual(alerts.map(({ kind }) => kind), ["stopped"]);
    if (!isRestarted) {
      await resumeSigning(world.deps, { actor: "test" });
      await cancelWithdrawal(world.deps, { id, actor: "test" });
      continue;
    }
    await resumeSigning(world.deps, { actor: "test" });
    await world.round({ aheadMs: 60_000 });
    await settleAll(world);
    assert.equal(await statusOf(world.merchant.api, id), "confirmed");
  }
});
