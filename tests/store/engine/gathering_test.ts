import assert from "node:assert/strict";
import { systemClock } from "../../../src/base/clock.ts";
import type { Connection } from "../../../src/store/connection/connection.ts";
import { GroupCommit } from "../../../src/store/engine/group_commit.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { makeDatabase, type TestDatabase } from "../databases.ts";
import { addition, balanceOf, makeAccount } from "../ledger.ts";

const AT_MS = Date.UTC(2026, 0, 1);

interface Counted {
  readonly writer: GroupCommit;
  readonly groups: () => number;
  readonly db: Db;
}

async function counted(database: TestDatabase, clock = systemClock): Promise<Counted> {
  const connected = await database.connect();
  let groups = 0;
  const connection: Connection = {
    batch: (statements, mode) => {
      if (mode === "write") groups++;
      return connected.batch(statements, mode);
    },
  };
  const options = { connection, tables: TABLES, instance: "me", clock };
  return { writer: new GroupCommit(options), groups: () => groups, db: await database.open() };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

Deno.test("units that came together before are waited for if each comes a little later", async () => {
  await using database = await makeDatabase("an embedded file");
  // On a busy machine, a few turns may take longer than anybody is waited for.
  const { writer, groups, db } = await counted(database, { nowMs: () => AT_MS });
  const accountId = await makeAccount(db);
  await Promise.all(Array.from({ length: 20 }, () => writer.run(addition(accountId))));
  const before = groups();
  const late = Array.from({ length: 20 }, async (_, i) => {
    await turns(3 * i);
    return await writer.run(addition(accountId));
  });
  await Promise.all(late);
  assert.equal(groups() - before, 1);
  assert.equal(await balanceOf(db, accountId), 40n);
});

Deno.test("nobody is waited for who doesn't come", async () => {
  await using database = await makeDatabase("an embedded file");
  const { writer, groups, db } = await counted(database);
  const accountId = await makeAccount(db);
  await Promise.all(Array.from({ length: 20 }, () => writer.run(addition(accountId))));
  const before = groups();
  for (let i = 0; i < 3; i++) await writer.run(addition(accountId));
  assert.equal(groups() - before, 3);
});

Deno.test("after many have come at once, a few that keep coming delay nobody for long", async () => {
  await using database = await makeDatabase("an embedded file");
  const { writer, db } = await counted(database);
  const accountId = await makeAccount(db);
  await Promise.all(Array.from({ length: 250 }, () => writer.run(addition(accountId))));
  let isAnswered = false;
  const first = writer.run(addition(accountId)).finally(() => isAnswered = true);
  const rest: Promise<unknown>[] = [];
  for (let i = 0; !isAnswered; i++) {
    assert.ok(i < 200, "it waits for all who come");
    await turns(20);
    rest.push(writer.run(addition(accountId)));
  }
  await Promise.all([first, ...rest]);
});
