import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { openDb } from "../../../src/store/engine/db.ts";
import { fixtures, readFixture, rebuild } from "../../store/upkeep/old_database.ts";
import { makePlace } from "../../support/database/database.ts";

const MORE = 240;

Deno.test("adding older credits to the audit log reports its progress", async () => {
  await using place = await makePlace();
  await rebuild(place, await readFixture(fixtures.find((name) => name.endsWith("11-12.jsonl"))!));
  const { CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token } = place.env;
  const db = await openDb({ url, token, clock: systemClock });
  const deposit = "direction = 'deposit' AND live = 1 AND status <> 'detected' LIMIT 1";
  await db.execute([
    { sql: `CREATE TABLE copied AS SELECT * FROM transactions WHERE ${deposit}` },
    ...Array.from({ length: MORE }, (_, i) => [
      { sql: `UPDATE copied SET id = ${10_000 + i}, tx_hash = '0x${i}'` },
      { sql: "INSERT INTO transactions SELECT * FROM copied" },
    ]).flat(),
    { sql: "DROP TABLE copied" },
  ]);
  const [{ count } = { count: 0 }] = await db.query(
    "SELECT count(*) AS count FROM transactions WHERE direction = 'deposit'",
  );
  await db.close();
  assert.ok(Number(count) > MORE && Number(count) < 300);

  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs += 5_000 };
  const lines: string[] = [];
  const log = createLog({ level: "info", clock, write: (line) => void lines.push(line()) });
  const gateway = await openGateway(readConfig(place.env), { clock, log });
  await gateway.close();
  const reported = lines.map((line) => JSON.parse(line))
    .filter(({ message }) => /older credits/.test(message))
    .map(({ level, message, deposits }) => [level, message, deposits]);
  const going = "adding older credits to the audit log, once: this may take a while";
  assert.deepEqual(reported, [
    ["warn", going, 100],
    ["warn", going, 200],
    ["info", "older credits are in the audit log", Number(count)],
  ]);
});
