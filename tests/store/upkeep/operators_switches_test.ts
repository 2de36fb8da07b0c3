import assert from "node:assert/strict";
import { AccountCurrencies } from "../../../src/accounts/tables/accounts.ts";
import { openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../../../src/store/upkeep/migration_files.ts";
import { makeFilePlace, makeServerPlace } from "../../support/database/database.ts";

const BEFORE = 12;

/** Switches by their source: "cli+-" is the command line, deposits on and withdrawals off. */
const HISTORIES: Readonly<
  Record<string, { reported: readonly string[]; is: string; barred: string }>
> = {
  "never in the log": { reported: [], is: "--", barred: "  " },
  "made on the command line with one off": { reported: ["cli+-"], is: "+-", barred: " x" },
  "switched off on the command line": { reported: ["cli++", "cli--"], is: "--", barred: "xx" },
  "switched off and on there": { reported: ["cli--", "cli++"], is: "++", barred: "  " },
  "an operator switched one on, the other never was": {
    ...{ reported: ["user:1+-"], is: "+-", barred: "  " },
  },
  "an operator switched it off": {
    ...{ reported: ["user:1+-", "user:1++", "user:1+-"], is: "+-", barred: " x" },
  },
  "a merchant switched it off": { reported: ["cli++", "user:2-+"], is: "-+", barred: "  " },
  "a merchant switched it off, then an operator the other": {
    ...{ reported: ["cli++", "user:2-+", "user:1--"], is: "--", barred: " x" },
  },
  "a merchant switched on what an operator had off": {
    ...{ reported: ["cli+-", "user:2++", "user:2+-"], is: "+-", barred: "  " },
  },
};

for (const [kind, makePlace] of Object.entries({ file: makeFilePlace, server: makeServerPlace })) {
  Deno.test(`what was off stays the operator's if the audit log says that it was, on a ${kind}`, async () => {
    await using place = await makePlace();
    const { CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token } = place.env;
    const db = await openDb({ url, token: token || undefined });
    const migrations = await loadMigrations();
    const old = migrations.filter(({ version }) => version <= BEFORE);
    await migrate(db, { migrations: old, nowMs: 1 });
    await db.execute([...setUp(), ...Object.values(HISTORIES).flatMap(rowsOf)]);
    await migrate(db, { migrations, nowMs: 2 });
    const rows = await db.rows(AccountCurrencies, "ORDER BY account_id");
    const found = rows.map(({ isDepositBarred, isWithdrawalBarred }) =>
      (isDepositBarred ? "x" : " ") + (isWithdrawalBarred ? "x" : " ")
    );
    const names = Object.keys(HISTORIES);
    assert.deepEqual(
      Object.fromEntries(found.map((barred, i) => [names[i], barred])),
      Object.fromEntries(Object.entries(HISTORIES).map(([name, { barred }]) => [name, barred])),
    );
    assert.ok(rows.every((row) => !(row.isDepositEnabled && row.isDepositBarred)));
    assert.deepEqual(
      rows.map((row) => (row.isDepositEnabled ? "+" : "-") + (row.isWithdrawalEnabled ? "+" : "-")),
      Object.values(HISTORIES).map(({ is }) => is),
    );
    await db.close();
  });
}

const NETWORK = `INSERT INTO networks (code, family, name, native_symbol, native_decimals, chain_id,
rpc_urls, min_confirmations, poll_interval_ms, start_height, finality, quorum, traces, fee_model,
hot_gas_target, is_active, created_at_ms)
VALUES ('ETH', 'evm', 'Ethereum', 'ETH', 18, '1', '[]', 3, 50, 1, 'none', 1, 'auto', 'l1', '0', 1, 1)`;
const CURRENCY = `INSERT INTO currencies (network, symbol, name, decimals, min_deposit_amount,
min_withdrawal_amount, fee_flat, fee_percent, sweep_min_amount, is_active, created_at_ms)
VALUES ('ETH', 'ETH', 'Ether', 18, '0', '0', '0', '0', '0', 1, 1)`;
const USER =
  `INSERT INTO users (id, email, role, account_id, totp_step, recovery_hashes, generation, created_at_ms)
VALUES (?, ?, ?, ?, 0, '[]', 0, 1)`;

function setUp() {
  return [
    { sql: NETWORK },
    { sql: CURRENCY },
    { sql: "INSERT INTO accounts (id, name, created_at_ms) VALUES (100, 'Theirs', 1)" },
    { sql: USER, args: [1, "operator@example.com", "operator", null] },
    { sql: USER, args: [2, "merchant@example.com", "merchant", 100] },
  ];
}

function rowsOf({ reported, is }: { reported: readonly string[]; is: string }, i: number) {
  const id = i + 1;
  const asset = { network: "ETH", currency: "ETH" };
  return [
    {
      sql: "INSERT INTO accounts (id, name, created_at_ms) VALUES (?, ?, 1)",
      args: [id, `Merchant ${id}`],
    },
    {
      sql: "INSERT INTO account_currencies VALUES (?, 'ETH', 'ETH', ?, ?)",
      args: [id, is[0] === "+", is[1] === "+"],
    },
    ...reported.map((one) => {
      const [, actor, deposit, withdrawal] = /^(.+)([+-])([+-])$/.exec(one)!;
      const switches = {
        isDepositEnabled: deposit === "+",
        isWithdrawalEnabled: withdrawal === "+",
      };
      return {
        sql: `INSERT INTO audit_log (at_ms, actor, action, subject, detail)
VALUES (1, ?, 'account.currency_enabled', ?, ?)`,
        args: [actor!, `account:${id}`, JSON.stringify({ ...asset, ...switches })],
      };
    }),
  ];
}
