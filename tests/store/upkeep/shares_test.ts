import assert from "node:assert/strict";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadMigrations } from "../../../src/store/upkeep/migration_files.ts";
import { makeFilePlace } from "../../support/database/database.ts";

const BEFORE = 94;

const USER =
  `INSERT INTO users (id, email, role, account_id, totp_step, recovery_hashes, generation, created_at_ms)
VALUES (?, ?, ?, ?, 0, '[]', 0, 1)`;
const KEY =
  `INSERT INTO api_keys (key_id, account_id, label, secret_sealed, permissions, ip_list, rate_limit, created_at_ms)
VALUES (?, 1, ?, '', '[]', '[]', 600, 1)`;
const SAID = `INSERT INTO audit_log (at_ms, actor, action, subject, detail)
VALUES (1, ?, 'key.created', ?, '{"accountId":1}')`;

Deno.test("an upgrade finds out from the audit log which keys an account made itself", async () => {
  await using place = await makeFilePlace();
  const db = await openDb({ url: place.env.CPG_DATABASE_URL! });
  const migrations = await loadMigrations();
  const old = migrations.filter(({ version }) => version <= BEFORE);
  await migrate(db, { migrations: old, nowMs: 1 });
  const makers = {
    own: "user:2",
    operators: "user:1",
    shell: "cli",
    foreign: "user:3",
    lost: null,
  };
  await db.execute([
    { sql: "INSERT INTO accounts (id, name, created_at_ms) VALUES (1, 'Theirs', 1), (2, 'B', 1)" },
    { sql: USER, args: [1, "operator@example.com", "operator", null] },
    { sql: USER, args: [2, "merchant@example.com", "developer", 1] },
    { sql: USER, args: [3, "other@example.com", "merchant", 2] },
    ...Object.keys(makers).map((label) => ({ sql: KEY, args: [`cpg_${label}`, label] })),
    ...Object.entries(makers).flatMap(([label, actor]) =>
      actor === null ? [] : [{ sql: SAID, args: [actor, `key:cpg_${label}`] }]
    ),
  ]);
  await migrate(db, { migrations, nowMs: 2 });
  const rows = await db.rows(ApiKeys, "ORDER BY key_id");
  assert.deepEqual(
    rows.flatMap(({ label, ownRateLimit }) => ownRateLimit === null ? [] : [[label, ownRateLimit]]),
    [["own", 600]],
  );
  await db.close();
});
