/** Opens and migrates each database that it reads, and prints what it applied. */
import { openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../../../src/store/upkeep/migration_files.ts";

const encoder = new TextEncoder();
const migrations = await loadMigrations();

async function migrated(url: string): Promise<unknown> {
  try {
    const db = await openDb({ url });
    const { applied } = await migrate(db, { migrations, nowMs: 1 });
    await db.close();
    return { applied };
  } catch (error) {
    return { error: String(error) };
  }
}

for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  for (const url of text.split("\n").filter(Boolean)) {
    Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(await migrated(url))}\n`));
  }
}
