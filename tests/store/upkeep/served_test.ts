import assert from "node:assert/strict";
import { Membership } from "../../../src/upkeep/membership.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { serve } from "../../../src/app/serve.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { type Db, openDb } from "../../../src/store/engine/db.ts";
import { makeNewCli } from "../../cli/cli_host.ts";
import { makeFilePlace, makeServerPlace, type Place } from "../../support/database/database.ts";
import { MIGRATIONS, readFixture, rebuild } from "./old_database.ts";

const KINDS = { "an embedded file": makeFilePlace, "a database server": makeServerPlace };
const REFUSED = "Stop the other instances first: an older version is serving this database, and " +
  "this one updates it (0013_cost_limits)";
const WRONG_KEY =
  "Cannot open the database's secrets: the master key is not the one it was sealed with";
const NEWEST = MIGRATIONS.at(-1)!.version;
const HOUR_MS = 3_600_000;

const configOf = ({ env }: Place) => readConfig({ ...env, CPG_LOG_LEVEL: "silent", CPG_PORT: "0" });

/** A database of an older version. */
async function makeOlder(place: Place): Promise<Db> {
  await rebuild(place, await readFixture("migrations-1-2-3-5-6-7-8-9-10-11-12.jsonl"));
  const { CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token } = place.env;
  return await openDb({ url, token, clock: systemClock });
}

/** A program of an older version, whose clock may be wrong, on a database of its own time. */
async function startOlder(place: Place, { aheadMs = 0 } = {}) {
  const db = await makeOlder(place);
  let beat = 0;
  const show = () =>
    db.execute([{
      sql: "INSERT OR REPLACE INTO instances VALUES ('old', ?, 'key', 0, ?)",
      args: [++beat, Date.now() + aheadMs],
    }]);
  await show();
  let beating = Promise.resolve();
  const timer = setInterval(() => beating = beating.then(show), 500);
  const die = async () => {
    clearInterval(timer);
    await beating;
  };
  return { db, die };
}

async function versionOf(db: Db): Promise<number> {
  const [row] = await db.query("SELECT max(version) AS version FROM schema_migrations");
  return Number(row!.version);
}

const PROGRAMS = [
  { kind: "an embedded file", aheadMs: 0 },
  { kind: "a database server", aheadMs: -30 * HOUR_MS },
  { kind: "a database server", aheadMs: 2 * HOUR_MS },
] as const;

for (const { kind, aheadMs } of PROGRAMS) {
  Deno.test(`nothing is updated below an older program on ${kind} whose clock is ${aheadMs} ms ahead`, async () => {
    await using place = await KINDS[kind]();
    const { db, die } = await startOlder(place, { aheadMs });
    await assert.rejects(openGateway(configOf(place)), { message: REFUSED });
    await using cli = await makeNewCli(place.env);
    assert.equal(await cli.fails(1, "migrate"), REFUSED);
    if (kind === "a database server") {
      await assert.rejects(serve(configOf(place)), { message: REFUSED });
    }
    assert.equal(await versionOf(db), 12);
    await die();
    await db.close();
  });
}

for (const kind of ["an embedded file", "a database server"] as const) {
  Deno.test(`an older database on ${kind} isn't updated by a program with another master key`, async () => {
    await using place = await KINDS[kind]();
    const db = await makeOlder(place);
    const env = { ...place.env, CPG_MASTER_KEY: "22".repeat(32) };
    await assert.rejects(openGateway(configOf({ ...place, env })), { message: WRONG_KEY });
    await using cli = await makeNewCli(env);
    assert.equal(await cli.fails(1, "migrate"), WRONG_KEY);
    assert.equal(await versionOf(db), 12);
    await (await openGateway(configOf(place))).close();
    assert.equal(await versionOf(db), NEWEST);
    await db.close();
  });
}

Deno.test("a dead program's row keeps nobody from updating, whatever its clock was", async () => {
  await using place = await makeServerPlace();
  const { db, die } = await startOlder(place, { aheadMs: HOUR_MS });
  await die();
  await using cli = await makeNewCli(place.env);
  assert.equal((await cli.run(["migrate"])).code, 0);
  assert.equal(await versionOf(db), NEWEST);
  await db.close();
});

Deno.test("programs of this version that start together on a dead one's database all start", async () => {
  await using place = await makeServerPlace();
  const { db, die } = await startOlder(place);
  await die();
  const opening = openGateway(configOf(place));
  const first = await openGateway(configOf(place), { isExclusive: true });
  const membership = new Membership(first.deps);
  await membership.start();
  const second = await opening;
  assert.equal(await versionOf(second.deps.db), NEWEST);
  await membership.leave();
  for (const gateway of [first, second]) await gateway.close();
  await db.close();
});
