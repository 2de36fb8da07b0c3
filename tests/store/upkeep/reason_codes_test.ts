import assert from "node:assert/strict";
import { openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../../../src/store/upkeep/migration_files.ts";
import { Freezes } from "../../../src/books/table.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { makeFilePlace, makeServerPlace } from "../../support/database/database.ts";

const CODED = 33;

/** Every text that a pause or a sweep was given before. */
const FREEZES = {
  "Tampered with: Row 7 of balances is not as this gateway wrote it": "tampered",
  "Balance of account 2 (expected 5, found 6)": "books_differ",
  "account 2 says: Tampered with: a row": "books_differ",
} as const;

const WAITING = {
  "the account has no receiving wallet": "no_receiving_wallet",
  "its rows were tampered with": "tampered",
  "The database was restored from a backup": "wallet_halted",
  "0.5 ETH/USDT is less than the sweep minimum 10": "below_minimum",
  "sweeps of USDT are paused: 3 of them are parked": "others_parked",
  "moving 1 ETH/ETH would cost too much of it now": "not_worth_it",
  "moving 7 ETH/USDT would cost too much now": "not_worth_it",
  "an earlier sweep has moved 7 ETH/USDT": "moved_before",
  "gas is on its way to the address": "gas_on_its_way",
  "0xa holds 3 ETH/USDT, its deposits came to 7 ETH/USDT": "tokens_missing",
  "execution reverted: paused": "not_answered",
  "127.0.0.1:8545: no answer": "not_answered",
} as const;

const PARKED = {
  "5 gas top-ups were not enough: the price outruns them": "gas_not_enough",
  "0xa holds 3 ETH/USDT, its deposits came to 7 ETH/USDT": "tokens_missing",
  "0x12 was mined and reverted": "failed_on_chain",
  "0x12 was mined and moved nothing": "failed_on_chain",
  "execution reverted: paused": "reverts",
} as const;

const SWEEPS = [
  ...Object.entries(WAITING).map(([reason, code]) => ({ state: "waiting", reason, code })),
  ...Object.entries(PARKED).map(([reason, code]) => ({ state: "parked", reason, code })),
  { state: "sweeping", reason: null, code: null },
];

for (const [kind, makePlace] of Object.entries({ file: makeFilePlace, server: makeServerPlace })) {
  Deno.test(`every reason of a pause or a sweep gets its code, on a ${kind}`, async () => {
    await using place = await makePlace();
    const { CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token } = place.env;
    const db = await openDb({ url, token: token || undefined });
    const migrations = await loadMigrations();
    const old = migrations.filter(({ version }) => version < CODED);
    await migrate(db, { migrations: old, nowMs: 1 });
    await db.execute(oldRows());
    await migrate(db, { migrations, nowMs: 2 });
    const freezes = await db.rows(Freezes, "");
    assert.deepEqual(Object.fromEntries(freezes.map((row) => [row.reason, row.code])), FREEZES);
    const sweeps = await db.rows(Sweeps, "ORDER BY id");
    assert.deepEqual(sweeps.map(({ state, reason, code }) => ({ state, reason, code })), SWEEPS);
    await assert.rejects(db.execute([{ sql: "UPDATE freezes SET code = 'other'" }]));
    await db.close();
  });
}

function oldRows() {
  return [
    {
      sql: `INSERT INTO networks (code, family, name, native_symbol, native_decimals, chain_id,
rpc_urls, min_confirmations, poll_interval_ms, start_height, finality, quorum, traces, fee_model,
hot_gas_target, is_active, created_at_ms)
VALUES ('ETH', 'evm', 'Ethereum', 'ETH', 18, '1', '[]', 3, 50, 1, 'none', 1, 'auto', 'l1', '0', 1, 1)`,
    },
    ...Object.keys(FREEZES).flatMap((reason, i) => [
      {
        sql: "INSERT INTO accounts (id, name, created_at_ms) VALUES (?, 'Shop', 1)",
        args: [i + 1],
      },
      { sql: "INSERT INTO freezes VALUES (?, 'ETH', 'ETH', ?, 1)", args: [i + 1, reason] },
    ]),
    ...SWEEPS.flatMap(({ state, reason, code }, i) => [
      {
        sql: `INSERT INTO addresses (id, account_id, network, purpose, address, key_coin_type,
key_account, key_branch, key_index, halted_reason, nonce_floor, created_at_ms)
VALUES (?, 1, 'ETH', 'deposit', ?, 60, 1, 0, ?, ?, 0, 1)`,
        args: [i + 1, `0x${i}`, i, code === "wallet_halted" ? reason : null],
      },
      {
        sql: `INSERT INTO sweeps (account_id, network, currency, address_id, state, open, reason,
failures, next_try_at_ms, created_at_ms) VALUES (1, 'ETH', 'ETH', ?, ?, 1, ?, 0, 1, 1)`,
        args: [i + 1, state, reason],
      },
    ]),
  ];
}
