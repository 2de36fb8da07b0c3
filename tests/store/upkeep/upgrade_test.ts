import assert from "node:assert/strict";
import { zip } from "../../../src/base/lists.ts";
import { auditCopy } from "../../../src/restore/audit_copy.ts";
import { openSeed } from "../../../src/upkeep/open_key_ring.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { makeFilePlace, makeServerPlace } from "../../support/database/database.ts";
import {
  type Dumped,
  fixtures,
  MIGRATIONS,
  readFixture,
  rebuild,
  rowsOf,
  versionsOf,
} from "./old_database.ts";

type Row = Readonly<Record<string, unknown>>;

const KINDS = { "an embedded file": makeFilePlace, "a database server": makeServerPlace };
/** Tables that change each time a program opens the database. */
const RUNNING = ["write_clock", "writers", "schema_migrations", "instances"];
/** Rows that each update may write: the books' seals are noted, and the seed is kept with their key. */
const WRITTEN: Readonly<Record<string, (row: Row) => boolean>> = {
  audit_log: ({ action }) => String(action).startsWith("books."),
  secrets: ({ name }) => name === "seed",
};

/** What was signed is now a transaction, its payment and its claim. */
const NOW: Readonly<Record<string, string>> = {
  signed_transfers: `(
  SELECT t.id, t.network, t.sender, t.place AS nonce,
    iif(t.is_live AND c.live_claim = t.sender || '/' || t.place, t.place, NULL) AS live_nonce,
    t.tx_hash, t.raw, p.purpose, p.withdrawal_id, p.sweep_id, p.transaction_id, p.to_address,
    p.contract_address, p.amount_raw, t.native_cost_max_raw, t.state, t.block_number, t.block_hash,
    t.is_successful, t.fee_raw, p.arrived_raw, t.signed_at_height, t.created_at_ms, t.sent_at_ms,
    p.calls_code, NULL AS seal
  FROM signed_transactions AS t
  JOIN signed_payments AS p ON p.signed_id = t.id AND p.from_address = t.sender
    AND p.is_successful IS t.is_successful
  JOIN claims AS c ON c.signed_id = t.id AND c.is_once)`,
};

/** A row of before, or what it is now. What is split is sealed anew, and the audit looks at seals. */
function inOrder(
  { table, columns }: Pick<Dumped, "table" | "columns">,
  rows: Dumped["rows"],
): string[] {
  const named = rows.map((row): Row => Object.fromEntries(zip(columns.split(", "), row)));
  return named.filter((row) => !WRITTEN[table]?.(row))
    .map((row) => JSON.stringify(table in NOW ? { ...row, seal: null } : row)).toSorted();
}

for (const name of fixtures) {
  for (const [kind, makePlace] of Object.entries(KINDS)) {
    Deno.test(`a database of ${name.replace(".jsonl", "")} on ${kind} is updated with all its data`, async () => {
      await using place = await makePlace();
      const dumped = await readFixture(name);
      await rebuild(place, dumped);
      const config = readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" });
      const gateway = await openGateway(config);
      const { deps, migrated } = gateway;
      const stood = versionsOf(dumped);
      const missing = MIGRATIONS.filter(({ version }) => !stood.includes(version));
      assert.deepEqual(migrated.applied, missing.map((migration) => migration.name));
      for (const before of dumped) {
        const { table, columns, rows } = before;
        if (RUNNING.includes(table)) continue;
        const [row] = await deps.db.query(
          `SELECT json_group_array(json_array(${columns})) AS rows FROM ${NOW[table] ?? table}`,
        );
        const now = inOrder(before, JSON.parse(String(row!.rows)));
        assert.deepEqual(now, inOrder(before, rows), table);
      }
      const audited = await auditCopy(deps);
      assert.deepEqual(audited.differences, []);
      assert.deepEqual([audited.tampered, audited.brokenAuditId], [[], null]);
      assert.equal(audited.secrets, 2);
      assert.equal(audited.withdrawals, rowsOf(dumped, "withdrawals").length);
      assert.ok(audited.ledgerEntries >= 5);
      assert.equal((await openSeed(deps)).split(" ").length, 24);
      await gateway.close();
    });
  }
}

Deno.test("there are databases of the first state and of the release, and each one has money that moved", async () => {
  assert.ok(fixtures.includes("migrations-1.jsonl"));
  assert.ok(fixtures.includes("release-1.0.0.jsonl"));
  for (const name of fixtures) {
    const dumped = await readFixture(name);
    for (const table of ["transactions", "withdrawals", "ledger_entries", "events", "addresses"]) {
      assert.ok(rowsOf(dumped, table).length > 0, `${name} has no ${table}`);
    }
  }
});
