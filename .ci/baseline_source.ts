import { openDb } from "../src/store/engine/db.ts";
import { migrate } from "../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../src/store/upkeep/migration_files.ts";

type Value = string | number | bigint | boolean | null | Uint8Array | ArrayBuffer;

/** What all migrations make of an empty database, as statements that make the same at once. */
export async function baselineText(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-baseline-" });
  try {
    const db = await openDb({ url: `file:${folder}/cpg.db` });
    const migrations = await loadMigrations();
    await migrate(db, { migrations, nowMs: 0 });
    const objects = await db.query(`SELECT type, name, sql FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT IN ('schema_migrations', 'sqlite_sequence') ORDER BY rowid`);
    const tables = objects.filter(({ type }) => type === "table").map(({ name }) => String(name));
    const rows: string[] = [];
    for (const table of [...tables, "sqlite_sequence"]) {
      for (const row of await db.query(`SELECT * FROM ${table} ORDER BY 1`)) {
        const columns = Object.keys(row);
        const values = columns.map((column) => literal(row[column] as Value));
        rows.push(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values.join(", ")});`);
      }
    }
    await db.close();
    return `-- What the migrations make of an empty database; \`deno task baseline\` writes it.
-- version ${migrations.at(-1)?.version}

${[...objects.map(({ sql }) => `${sql};`), ...rows].join("\n\n")}
`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw new Error("A migration writes a value that the baseline can't");
}
