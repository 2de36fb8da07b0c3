import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import { createMac } from "../../../src/base/secrets/mac.ts";
import { checkIntegrity } from "../../../src/integrity/manage_integrity.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { readRoot, writeRoot } from "../../../src/keys/root_secret.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { Secrets } from "../../../src/store/tables/secrets.ts";
import { SEED, SEED_CONTEXT } from "../../../src/upkeep/open_key_ring.ts";
import { TEST_MASTER_KEY } from "../../support/database/database.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import {
  fundMerchant,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
} from "../../support/payouts.ts";
import { alertsOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const PAYEE = "0x00000000000000000000000000000000000A11cE";
const OTHER_PAYEE = "0x00000000000000000000000000000000000B0b01";
const HEAD = "audit_id, audit_hash, audit_seal, balances_sum";

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

/** Valid rows from before the payment, kept to be put back. */
const KEEP = [
  "CREATE TABLE thief_balance AS SELECT * FROM balances",
  "CREATE TABLE thief_entry AS SELECT max(id) AS id FROM ledger_entries",
  "CREATE TABLE thief_check AS SELECT * FROM ledger_checks",
  `CREATE TABLE thief_head AS SELECT ${HEAD} FROM write_clock`,
];

const LEDGER = [
  "DROP TRIGGER ledger_entries_no_delete",
  "DELETE FROM ledger_entries WHERE id > (SELECT id FROM thief_entry)",
  "UPDATE sqlite_sequence SET seq = (SELECT id FROM thief_entry) WHERE name = 'ledger_entries'",
  "DELETE FROM ledger_checks",
  "DELETE FROM alerts",
];
const BALANCES = [
  `UPDATE balances SET (balance, held, seal) = (SELECT balance, held, seal FROM thief_balance AS t
WHERE t.account_id = balances.account_id AND t.currency = balances.currency)`,
];
const LOG = [
  "DROP TRIGGER audit_log_no_delete",
  "DELETE FROM audit_log WHERE id > (SELECT audit_id FROM thief_head)",
  "UPDATE sqlite_sequence SET seq = (SELECT audit_id FROM thief_head) WHERE name = 'audit_log'",
  `UPDATE write_clock SET (${HEAD}) = (SELECT * FROM thief_head)`,
];
const SIGNED = [
  "PRAGMA defer_foreign_keys = ON",
  "DELETE FROM events",
  "DELETE FROM transactions",
  "DELETE FROM signed_payments WHERE withdrawal_id = 2",
  "DELETE FROM withdrawals WHERE id = 2",
];

const WAYS: Readonly<Record<string, readonly string[]>> = {
  "its balance": BALANCES,
  "its balance and the ledger": [...LEDGER, ...BALANCES],
  "its balance, the ledger and the sum": [
    ...[...LEDGER, ...BALANCES],
    "UPDATE write_clock SET balances_sum = (SELECT balances_sum FROM thief_head)",
  ],
  "its balance and the ledger, without a sum": [
    ...[...LEDGER, ...BALANCES],
    "UPDATE write_clock SET balances_sum = NULL",
  ],
  "its balance and the ledger, without a head": [
    ...[...LEDGER, ...BALANCES],
    "UPDATE write_clock SET audit_id = NULL, audit_hash = NULL, audit_seal = NULL, balances_sum = NULL",
  ],
  "its balance and the ledger, the log and its head": [...LEDGER, ...BALANCES, ...LOG],
  "all of that, and the payment is another wallet's": [
    ...[...LEDGER, ...BALANCES, ...LOG],
    "UPDATE signed_payments SET withdrawal_id = NULL",
  ],
  "all of that, and what its transaction paid": [
    ...[...LEDGER, ...BALANCES, ...LOG],
    "DELETE FROM signed_payments WHERE withdrawal_id = 2",
  ],
  "all of that, and the payment too": [...LEDGER, ...BALANCES, ...LOG, ...SIGNED],
  "everything, but no balance is left": [...LEDGER, "DELETE FROM balances"],
};

for (const [what, putBack] of Object.entries(WAYS)) {
  for (const isRestarted of [true, false]) {
    const when = isRestarted ? " after a restart" : "";
    Deno.test(`money that was paid out isn't back${when} when this is put back: ${what}`, async () => {
      await using anvil = await startAnvil();
      await using world = await startPayingWorld({ anvil });
      const { api } = world.merchant;
      // The wallet's newest payment must be in the log that is put back.
      sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "1" }));
      await settleAll(world);
      await sql(world, ...KEEP);
      sentId(await withdraw(api, { to: PAYEE, amount: "60" }));
      await settleAll(world);
      assert.equal(await receivedBy(anvil, PAYEE), 60n * ETHER);
      await sql(world, ...putBack);
      if (isRestarted) await world.restart();
      for (let i = 0; i < 2; i++) {
        await withdraw(api, { to: PAYEE, amount: "60" });
        await settleAll(world);
      }
      assert.equal(await receivedBy(anvil, PAYEE), 60n * ETHER);
      await world.restart();
      await withdraw(api, { to: PAYEE, amount: "60" });
      await settleAll(world);
      assert.equal(await receivedBy(anvil, PAYEE), 60n * ETHER);
    });
  }
}

Deno.test("a balance that was put back isn't paid out at the account's first payment since the start", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  await sql(world, ...KEEP);
  sentId(await withdraw(world.merchant.api, { to: PAYEE, amount: "60" }));
  await settleAll(world);
  await world.restart();
  sentId(await withdraw(other.api, { to: OTHER_PAYEE, amount: "1" }));
  await settleAll(world);
  await sql(world, ...LEDGER, ...BALANCES);
  await withdraw(world.merchant.api, { to: PAYEE, amount: "60" });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), 60n * ETHER);
});

Deno.test("after an operator accepts the balances as they are, everything is paid again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  await sql(world, ...KEEP);
  await adjust(world, "7");
  await sql(world, ...LEDGER, ...BALANCES);
  await world.restart();
  assert.equal((await withdraw(api, { to: PAYEE, amount: "60" })).status, 502);
  assert.deepEqual((await alertsOf(world.deps)).map(({ subject }) => subject), ["balances:all"]);
  const { tampered, first } = await checkIntegrity(world.deps);
  assert.equal(tampered, 1);
  assert.equal(first[0]!.message, "The balances are not what this gateway wrote last");
  await resumeTampered(world.deps, { accountId: null, actor: "test" });
  assert.equal((await checkIntegrity(world.deps)).tampered, 0);
  assert.deepEqual(await alertsOf(world.deps), []);
  for (const amount of ["30", "20"]) {
    sentId(await withdraw(api, { to: PAYEE, amount }));
    await settleAll(world);
    await world.restart();
  }
  assert.equal(await receivedBy(anvil, PAYEE), 50n * ETHER);
});

Deno.test("a running program follows the operator's decision too", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  sentId(await withdraw(api, { to: OTHER_PAYEE, amount: "1" }));
  await settleAll(world);
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  await sql(world, ...KEEP);
  await adjust(world, "7");
  await sql(world, ...LEDGER, ...BALANCES);
  assert.equal((await withdraw(other.api, { to: PAYEE, amount: "60" })).status, 502);
  await resumeTampered(world.deps, { accountId: null, actor: "test" });
  sentId(await withdraw(other.api, { to: PAYEE, amount: "30" }));
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), 30n * ETHER);
});

Deno.test("balances from before they were summed are summed once, as they are", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const vault = await createVault(fromHex(TEST_MASTER_KEY)!);
  sentId(await withdraw(api, { to: PAYEE, amount: "1" }));
  await settleAll(world);
  const { db } = world.deps;
  const root = readRoot(await vault.open((await db.find(Secrets, [SEED]))!.sealed, SEED_CONTEXT));
  const seals = { ...root.seals!, summedFromMs: null };
  const sealed = await vault.seal(writeRoot({ ...root, seals }), SEED_CONTEXT);
  const [head] = await db.query("SELECT audit_id AS id, audit_hash AS hash FROM write_clock");
  const seal = createMac(seals.key)(`head/${head!.id}/${head!.hash}`);
  const asBefore = [
    `UPDATE secrets SET sealed = '${sealed}' WHERE name = 'seed'`,
    `UPDATE write_clock SET balances_sum = NULL, audit_seal = '${seal}'`,
  ];
  await sql(world, ...asBefore);
  await world.restart();
  for (let i = 0; i < 2; i++) {
    sentId(await withdraw(api, { to: PAYEE, amount: "1" }));
    await settleAll(world);
    await world.restart();
  }
  assert.deepEqual(await alertsOf(world.deps), []);
  const reported = "SELECT id FROM audit_log WHERE action = 'books.balances_summed'";
  assert.equal((await world.deps.db.query(reported)).length, 1);
  // Putting back the secret alone must not start it again with other balances.
  await sql(world, ...KEEP);
  sentId(await withdraw(api, { to: PAYEE, amount: "60" }));
  await settleAll(world);
  await sql(world, ...LEDGER, ...BALANCES, asBefore[0]!);
  await world.restart();
  await withdraw(api, { to: PAYEE, amount: "60" });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYEE), 63n * ETHER);
});

Deno.test("many payments, credits and restarts cause no alert", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  for (let round = 0; round < 4; round++) {
    const paid = await Promise.all([
      ...[1, 2, 3].map(() => withdraw(api, { to: PAYEE, amount: "1" })),
      ...[1, 2, 3].map(() => withdraw(other.api, { to: PAYEE, amount: "1" })),
      adjust(world, "3"),
    ]);
    for (const reply of paid) if (reply) sentId(reply);
    await settleAll(world);
    if (round % 2 === 1) await world.restart();
  }
  assert.equal(await receivedBy(anvil, PAYEE), 24n * ETHER);
  assert.deepEqual(await alertsOf(world.deps), []);
  assert.equal((await checkIntegrity(world.deps)).tampered, 0);
});

async function adjust({ deps, merchant: { accountId } }: World, amount: string): Promise<void> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount, note: "test", actor: "test" });
}
