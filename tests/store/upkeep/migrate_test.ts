import assert from "node:assert/strict";
import type { Db } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import {
  loadMigrations,
  type Migration,
  splitStatements,
} from "../../../src/store/upkeep/migration_files.ts";
import { type ChildProgram, startChild } from "../child_program.ts";
import {
  AT_MS,
  DATABASE_KINDS,
  type DatabaseKind,
  makeDatabase,
  MIGRATIONS,
  type TestDatabase,
} from "../databases.ts";

const FIRST: Migration = {
  version: 1,
  name: "0001_first",
  sql:
    "-- Why.\nCREATE TABLE fruit (name TEXT NOT NULL) STRICT;\n\nINSERT INTO fruit VALUES ('fig');\n",
};
const SECOND: Migration = {
  version: 2,
  name: "0002_second",
  sql: "-- Why.\nALTER TABLE fruit ADD COLUMN weight INTEGER;\n",
};

const run = (db: Db, ...migrations: Migration[]) => migrate(db, { migrations, nowMs: AT_MS });

function testUnmigrated(name: string, work: (database: TestDatabase) => Promise<void>): void {
  for (const kind of DATABASE_KINDS) {
    Deno.test(`on ${kind}, ${name}`, async () => {
      await using database = await makeDatabase(kind, { isMigrated: false });
      await work(database);
    });
  }
}

testUnmigrated("each migration is applied once, in order, and reported", async (database) => {
  const db = await database.open();
  assert.deepEqual(await run(db, FIRST), { applied: ["0001_first"], version: 1 });
  assert.deepEqual(await run(db, FIRST), { applied: [], version: 1 });
  assert.deepEqual(await run(db, FIRST, SECOND), { applied: ["0002_second"], version: 2 });
  const again = await database.open();
  assert.deepEqual(await run(again, FIRST, SECOND), { applied: [], version: 2 });
  assert.deepEqual((await db.query("SELECT name, weight FROM fruit")).map((row) => ({ ...row })), [
    { name: "fig", weight: null },
  ]);
  const stored = await db.query("SELECT version, name, applied_at_ms FROM schema_migrations");
  assert.deepEqual(stored.map((row) => ({ ...row })), [
    { version: 1, name: "0001_first", applied_at_ms: AT_MS },
    { version: 2, name: "0002_second", applied_at_ms: AT_MS },
  ]);
});

testUnmigrated(
  "a migration that was changed after it was applied is refused, and nothing is applied",
  async (database) => {
    const db = await database.open();
    await run(db, FIRST);
    const changed = { ...FIRST, sql: FIRST.sql.replace("fig", "date") };
    await assert.rejects(run(db, changed, SECOND), {
      name: "OperatorError",
      message:
        "Migration 0001_first was changed after it was applied: use the program that made this database",
    });
    assert.deepEqual((await run(db, FIRST, SECOND)).applied, ["0002_second"]);
  },
);

testUnmigrated(
  "a database newer than the program is refused in one clear line",
  async (database) => {
    const db = await database.open();
    await run(db, FIRST, SECOND);
    await assert.rejects(run(db, FIRST), {
      name: "OperatorError",
      message:
        "The database is at version 2 and this program knows versions up to 1: use a newer program",
    });
  },
);

testUnmigrated(
  "a newer program's migration is noticed whatever its number",
  async (database) => {
    const db = await database.open();
    const third = {
      version: 3,
      name: "0003_third",
      sql: "-- Why.\nCREATE TABLE nut (name TEXT);\n",
    };
    await run(db, FIRST, third);
    await run(db, FIRST, SECOND, third);
    await assert.rejects(run(db, FIRST, third), {
      name: "OperatorError",
      message: "The database has 0002_second, which this program doesn't know: use a newer program",
    });
  },
);

testUnmigrated(
  "a migration that fails leaves nothing behind, and can be applied once it is fixed",
  async (database) => {
    const db = await database.open();
    const broken = {
      ...SECOND,
      sql: "CREATE TABLE half (id INTEGER);\nINSERT INTO nowhere VALUES (1);\n",
    };
    await assert.rejects(run(db, FIRST, broken), /nowhere/);
    const tables = await db.query("SELECT name FROM sqlite_master WHERE name = 'half'");
    assert.deepEqual(tables, []);
    assert.deepEqual((await run(db, FIRST, SECOND)).applied, ["0002_second"]);
  },
);

testUnmigrated(
  "the program's own migrations make a database that a second run finds complete",
  async (database) => {
    const db = await database.open();
    const names = MIGRATIONS.map((migration) => migration.name);
    assert.deepEqual((await run(db, ...MIGRATIONS)).applied, names);
    assert.deepEqual((await run(db, ...MIGRATIONS)).applied, []);
  },
);

for (const kind of DATABASE_KINDS) {
  Deno.test(`on ${kind}, of several programs that start at once one migrates and the others notice`, async () => {
    const programs = [0, 1, 2].map(() => startChild(new URL("migrator.ts", import.meta.url)));
    try {
      for (let round = 0; round < 8; round++) await startAtOnce(kind, programs);
    } finally {
      for (const program of programs) await program[Symbol.asyncDispose]();
    }
  });
}

async function startAtOnce(kind: DatabaseKind, programs: readonly ChildProgram[]): Promise<void> {
  await using database = await makeDatabase(kind, { isMigrated: false });
  const reports = await Promise.all(programs.map(async (program) => {
    await program.say(database.url);
    return JSON.parse((await program.line())!);
  }));
  const applied = reports.flatMap((report) => report.applied ?? [report.error]);
  assert.deepEqual(applied.toSorted(), MIGRATIONS.map((migration) => migration.name));
}

Deno.test("migrations are found by their numbered names, in order, each number once", async () => {
  const folder = await Deno.makeTempDir();
  const write = (name: string) =>
    Deno.writeTextFile(`${folder}/${name}`, `-- ${name}\nSELECT 1;\n`);
  for (
    const name of ["0002_b.sql", "0001_a.sql", "0010_c.sql", "notes.md", "1_x.sql", "0003_d.sql~"]
  ) {
    await write(name);
  }
  const found = await loadMigrations(new URL(`file://${folder}/`));
  assert.deepEqual(found.map(({ version, name }) => [version, name]), [
    [1, "0001_a"],
    [2, "0002_b"],
    [10, "0010_c"],
  ]);
  assert.equal(found[0]!.sql, "-- 0001_a.sql\nSELECT 1;\n");
  await Deno.remove(folder, { recursive: true });
  const versions = MIGRATIONS.map(({ version }) => version);
  assert.deepEqual(versions, [...new Set(versions)].toSorted((one, other) => one - other));
  assert.equal(versions[0], 1);
  for (const { name, sql } of MIGRATIONS) assert.match(sql, /^-- \S/, `${name} says why`);
});

Deno.test("a migration's text is split at line ends, and a trigger stays whole", () => {
  const trigger = "CREATE TRIGGER t BEFORE UPDATE ON a\nBEGIN\n  SELECT 1;\n  SELECT 2;\nEND;";
  const table = "CREATE TABLE a (\n  -- What; it is.\n  b TEXT DEFAULT ';'\n);";
  const text =
    `-- Why; indeed.\n\n${table}\n\n-- And;\n${trigger}\nINSERT INTO a VALUES ('x;y');\n\n`;
  assert.deepEqual(splitStatements(text), [table, trigger, "INSERT INTO a VALUES ('x;y');"]);
  assert.deepEqual(splitStatements("-- Nothing.\n\n"), []);
});

Deno.test("a migration that stops in the middle of a statement is refused", () => {
  assert.throws(() => splitStatements("SELECT 1;\nSELECT 2\n"), {
    name: "OperatorError",
    message: 'A migration ends without ";": SELECT 2',
  });
});

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

Deno.test("every statement of the program's migrations is split as a whole", async () => {
  await using database = await makeDatabase("an embedded file", { isMigrated: false });
  const client = database.client();
  for (const { sql } of MIGRATIONS) {
    for (const statement of splitStatements(sql)) await client.execute(statement);
  }
  const { rows } = await client.execute(
    "SELECT count(*) AS n FROM sqlite_master WHERE type = 'trigger'",
  );
  assert.equal(
    rows[0]!.n,
    MIGRATIONS.map(({ sql }) => count(sql, /^CREATE TRIGGER/gm) - count(sql, /^DROP TRIGGER/gm))
      .reduce((a, b) => a + b),
  );
});
