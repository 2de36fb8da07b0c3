import assert from "node:assert/strict";
import { openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../../../src/store/upkeep/migration_files.ts";
import { makePlace } from "../../support/database/database.ts";

const BEFORE = 81;
const NUMBERED = ["invoices", "payment_links", "refund_links"];

for (const [history, from] of Object.entries({ "restored before": 5_000, "never restored": 0 })) {
  Deno.test(`in books that were ${history}, new refund links are ${from ? "of today" : "as they were"}`, async () => {
    await using place = await makePlace();
    const { CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token } = place.env;
    const db = await openDb({ url, token: token || undefined });
    const migrations = await loadMigrations();
    const old = migrations.filter(({ version }) => version <= BEFORE);
    await migrate(db, { migrations: old, nowMs: 1 });
    await db.execute([
      { sql: "UPDATE write_clock SET deposit_index_from = ?", args: [from] },
      { sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('invoices', 7)" },
    ]);
    await migrate(db, { migrations, nowMs: 2 });
    const rows = await db.query("SELECT name, seq FROM sqlite_sequence");
    const numbers = new Map(rows.map(({ name, seq }) => [name, Number(seq)]));
    const found = NUMBERED.map((name) => numbers.get(name));
    assert.deepEqual(found, from ? [4_999, 4_999, 4_999] : [7, undefined, undefined]);
    await db.close();
  });
}
