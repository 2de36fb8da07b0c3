import assert from "node:assert/strict";
import { CostMarks } from "../../src/costs/table.ts";
import { openDb } from "../../src/store/engine/db.ts";
import { migrate } from "../../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../../src/store/upkeep/migration_files.ts";
import { makeFilePlace } from "../support/database/database.ts";

const ADDED = 111;
const WITH_GAS = 112;
const HOUR_MS = 3_600_000;

Deno.test("costs: an update marks each hour in which something was mined for good before", async () => {
  await using place = await makeFilePlace();
  const db = await openDb({ url: place.env.CPG_DATABASE_URL });
  const migrations = await loadMigrations();
  const old = migrations.filter(({ version }) => version < ADDED);
  await migrate(db, { migrations: old, nowMs: 1 });
  const signed = (state: string, createdAtMs: number) => ({
    sql: `INSERT INTO signed_transactions (network, sender, place, is_live, is_foreign,
  payment_count, tx_hash, raw, native_cost_max_raw, state, block_number, signed_at_height,
  created_at_ms)
VALUES ('ETH', '0xG', ?2, 1, 0, 0, ?2, '', '0', ?1, 1, 1, ?2)`,
    args: [state, createdAtMs],
  });
  await db.execute([
    signed("settled", 5 * HOUR_MS),
    signed("settled", 6 * HOUR_MS - 1),
    signed("settled", 7 * HOUR_MS),
    signed("open", 9 * HOUR_MS),
  ]);
  await migrate(db, { migrations, nowMs: 2 });
  const marks = await db.rows(CostMarks, "ORDER BY starts_at_ms");
  assert.deepEqual(
    marks.map(({ network, startsAtMs }) => [network, startsAtMs / HOUR_MS]),
    [["ETH", 5], ["ETH", 7]],
  );
  await db.close();
});

Deno.test("costs: an update adds each hour up again that was added up before gas was noted", async () => {
  await using place = await makeFilePlace();
  const db = await openDb({ url: place.env.CPG_DATABASE_URL });
  const migrations = await loadMigrations();
  const old = migrations.filter(({ version }) => version < WITH_GAS);
  await migrate(db, { migrations: old, nowMs: 1 });
  await db.execute(["single", "batch"].map((way) => ({
    sql: `INSERT INTO cost_hours (network, starts_at_ms, currency, way, sweeps, first_sweeps,
  deposits, fee_raw)
VALUES ('ETH', ?1, 'USDT', ?2, 1, 0, 1, '5')`,
    args: [5 * HOUR_MS, way],
  })));
  await migrate(db, { migrations, nowMs: 2 });
  const marks = await db.rows(CostMarks, "");
  assert.deepEqual(
    marks.map(({ network, startsAtMs }) => [network, startsAtMs / HOUR_MS]),
    [["ETH", 5]],
  );
  await db.close();
});
