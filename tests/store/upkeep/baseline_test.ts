import assert from "node:assert/strict";
import type { Db } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadBaseline } from "../../../src/store/upkeep/migration_files.ts";
import { baselineText } from "../../../.ci/baseline_source.ts";
import { AT_MS, DATABASE_KINDS, makeDatabase, MIGRATIONS } from "../databases.ts";

const BASELINE = await loadBaseline();
const NAMES = MIGRATIONS.map(({ name }) => name);

const fromBaseline = (db: Db) =>
  migrate(db, { migrations: MIGRATIONS, baseline: BASELINE, nowMs: AT_MS });

/** Everything that is in a database, in words. */
async function contentOf(db: Db): Promise<unknown> {
  const objects = await db.query(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
  );
  const tables = objects.filter(({ type }) => type === "table").map(({ name }) => String(name));
  const rows = [];
  for (const table of tables.sort()) {
    rows.push([table, await db.query(`SELECT * FROM ${table} ORDER BY 1`)]);
  }
  return JSON.parse(JSON.stringify({ objects, rows }));
}

Deno.test("the baseline is what the migrations make: if not, `deno task baseline`", async () => {
  assert.equal(await Deno.readTextFile("migrations/baseline.sql"), await baselineText());
});

for (const kind of DATABASE_KINDS) {
  Deno.test(`on ${kind}, a new database has the same in it as after each migration`, async () => {
    await using step = await makeDatabase(kind, { isMigrated: false });
    await using whole = await makeDatabase(kind, { isMigrated: false });
    const [slow, quick] = [await step.open(), await whole.open()];
    const stepwise = await migrate(slow, { migrations: MIGRATIONS, nowMs: AT_MS });
    assert.deepEqual(await fromBaseline(quick), stepwise);
    assert.deepEqual(stepwise.applied, NAMES);
    assert.deepEqual(await contentOf(quick), await contentOf(slow));
    assert.deepEqual((await fromBaseline(quick)).applied, []);
  });

  Deno.test(`on ${kind}, an older database gets the migrations it lacks`, async () => {
    await using database = await makeDatabase(kind, { isMigrated: false });
    const db = await database.open();
    await migrate(db, { migrations: MIGRATIONS.slice(0, 40), nowMs: AT_MS });
    assert.deepEqual((await fromBaseline(db)).applied, NAMES.slice(40));
  });

  Deno.test(`on ${kind}, part of a copy is told from a new database, and left as it is`, async () => {
    await using database = await makeDatabase(kind, { isMigrated: false });
    const db = await database.open();
    await db.execute([{ sql: "CREATE TABLE write_clock (id INTEGER PRIMARY KEY) STRICT" }]);
    await assert.rejects(fromBaseline(db), {
      name: "OperatorError",
      message: /^The database has tables, and no record of what made them: .* empty it and copy/,
    });
    assert.deepEqual(await db.query("SELECT version FROM schema_migrations"), []);
    assert.deepEqual(await db.query("SELECT * FROM write_clock"), []);
  });

  Deno.test(`on ${kind}, migrations after the baseline follow it`, async () => {
    await using database = await makeDatabase(kind, { isMigrated: false });
    const db = await database.open();
    const next = { version: 9999, name: "9999_fruit", sql: "CREATE TABLE fruit (id INTEGER);\n" };
    const migrations = [...MIGRATIONS, next];
    const { applied } = await migrate(db, { migrations, baseline: BASELINE, nowMs: AT_MS });
    assert.deepEqual(applied, [...NAMES, "9999_fruit"]);
    assert.deepEqual([...await db.query("SELECT * FROM fruit")], []);
  });

  Deno.test(`on ${kind}, of programs that start at once one makes the database`, async () => {
    await using database = await makeDatabase(kind, { isMigrated: false });
    const programs = [await database.open(), await database.open(), await database.open()];
    const reports = await Promise.all(programs.map(fromBaseline));
    assert.deepEqual(reports.flatMap(({ applied }) => applied), NAMES);
  });
}
