import assert from "node:assert/strict";
import { connect } from "../../../src/store/connection/connect.ts";
import { loadMigrations, splitStatements } from "../../../src/store/upkeep/migration_files.ts";
import type { Place } from "../../support/database/database.ts";

export interface Dumped {
  readonly table: string;
  readonly columns: string;
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Each by the program of its day. In the release's, payments are open, bid for again and revoked, and
 * gas and a sweep are on their way.
 */
const FOLDER = new URL("../fixtures/", import.meta.url);
export const MIGRATIONS = await loadMigrations();
export const fixtures = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();

export async function readFixture(name: string): Promise<Dumped[]> {
  const text = await Deno.readTextFile(new URL(name, FOLDER));
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

/** With the statements of its day, which its own list of migrations must still name. */
export async function rebuild(
  { env }: Pick<Place, "env">,
  dumped: readonly Dumped[],
): Promise<void> {
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
  // Its programs have ended; a row left behind by one takes each later one five seconds.
  const filled = dumped.filter(({ table, rows }) => rows.length > 0 && table !== "instances");
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

export function rowsOf(dumped: readonly Dumped[], name: string): readonly (readonly unknown[])[] {
  return dumped.find(({ table }) => table === name)?.rows ?? [];
}

export function versionsOf(dumped: readonly Dumped[]): number[] {
  return rowsOf(dumped, "schema_migrations").map(([version]) => Number(version));
}
