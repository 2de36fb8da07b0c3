import assert from "node:assert/strict";
import { auditCopy } from "../../src/actions/audit_copy.ts";
import { openSeed } from "../../src/actions/open_key_ring.ts";
import { readConfig } from "../../src/config.ts";
import { openGateway } from "../../src/gateway.ts";
import { connect } from "../../src/store/connect.ts";
import { loadMigrations, splitStatements } from "../../src/store/migrate.ts";
import { makeFilePlace, makeServerPlace, type Place } from "../support/database.ts";

interface Dumped {
  readonly table: string;
  readonly columns: string;
  readonly rows: readonly (readonly unknown[])[];
}

const FOLDER = new URL("./fixtures/", import.meta.url);
const MIGRATIONS = await loadMigrations();
const KINDS = { "an embedded file": makeFilePlace, "a database server": makeServerPlace };
/** What changes with every opening: who writes, and what was applied. */
const RUNNING = ["write_clock", "writers", "schema_migrations", "instances"];
/** What is as it was before the books were sealed: the seed is kept with their key now. */
const OLD: Readonly<Record<string, string>> = {
  audit_log: "WHERE action NOT LIKE 'books.%'",
  secrets: "WHERE name <> 'seed'",
};

const fixtures = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();

for (const name of fixtures) {
  for (const [kind, makePlace] of Object.entries(KINDS)) {
    Deno.test(`a database of ${name.replace(".jsonl", "")} on ${kind} is brought up to date with all its data`, async () => {
      await using place = await makePlace();
      const dumped = await readFixture(name);
      await rebuild(place, dumped);
      const config = readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" });
      const gateway = await openGateway(config);
      const { deps, migrated } = gateway;
      const stood = versionsOf(dumped);
      const missing = MIGRATIONS.filter(({ version }) => !stood.includes(version));
      assert.deepEqual(migrated.applied, missing.map((migration) => migration.name));
      for (const { table, columns, rows } of dumped) {
        if (RUNNING.includes(table)) continue;
        const [row] = await deps.db.query(
          `SELECT json_group_array(json_array(${columns})) AS rows FROM ${table} ${
            OLD[table] ?? ""
          }`,
        );
        const kept = table === "secrets" ? rows.filter(([name]) => name !== "seed") : rows;
        assert.deepEqual(inOrder(JSON.parse(String(row!.rows))), inOrder(kept), table);
      }
      const audited = await auditCopy(deps);
      assert.deepEqual(audited.differences, []);
      assert.equal(audited.secrets, 2);
      assert.equal(audited.withdrawals, rowsOf(dumped, "withdrawals").length);
      assert.ok(audited.ledgerEntries >= 5);
      assert.equal((await openSeed(deps)).split(" ").length, 24);
      await gateway.close();
    });
  }
}

Deno.test("there is a database of the first state, and each one holds money that moved", async () => {
  assert.ok(fixtures.includes("migrations-1.jsonl"));
  for (const name of fixtures) {
    const dumped = await readFixture(name);
    for (const table of ["transactions", "withdrawals", "ledger_entries", "events", "addresses"]) {
      assert.ok(rowsOf(dumped, table).length > 0, `${name} has no ${table}`);
    }
  }
});

async function readFixture(name: string): Promise<Dumped[]> {
  const text = await Deno.readTextFile(new URL(name, FOLDER));
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

/** With the statements of its day, which its own list of migrations must still name. */
async function rebuild({ env }: Place, dumped: readonly Dumped[]): Promise<void> {
  const stood = versionsOf(dumped);
  const applied = MIGRATIONS.filter(({ version }) => stood.includes(version));
  assert.equal(applied.length, stood.length);
  const client = await connect({
    url: env.CPG_DATABASE_URL,
    token: env.CPG_DATABASE_TOKEN || undefined,
  });
  const schema = applied.flatMap(({ sql }) => splitStatements(sql));
  await client.batch([
    `CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL,
checksum TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT`,
    ...schema,
  ], "write");
  const triggers = await client.execute(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
  );
  const filled = dumped.filter(({ rows }) => rows.length > 0);
  await client.migrate([
    ...triggers.rows.map(({ name }) => `DROP TRIGGER ${name}`),
    ...filled.flatMap(({ table, columns, rows }) => [
      `DELETE FROM ${table}`,
      {
        sql: `INSERT INTO ${table} (${columns})
SELECT ${columns.split(",").map((_, i) => `value ->> ${i}`).join(", ")} FROM json_each(?)`,
        args: [JSON.stringify(rows)],
      },
    ]),
    ...triggers.rows.map(({ sql }) => String(sql)),
  ]);
  client.close();
}

function rowsOf(dumped: readonly Dumped[], name: string): readonly (readonly unknown[])[] {
  return dumped.find(({ table }) => table === name)?.rows ?? [];
}

function versionsOf(dumped: readonly Dumped[]): number[] {
  return rowsOf(dumped, "schema_migrations").map(([version]) => Number(version));
}

function inOrder(rows: readonly (readonly unknown[])[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}
