import assert from "node:assert/strict";
import { systemClock } from "../../../src/base/clock.ts";
import type { Connection } from "../../../src/store/connection/connection.ts";
import { GroupCommit } from "../../../src/store/engine/group_commit.ts";
import { writeProbe } from "../../../src/store/engine/write_probe.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { AT_MS, makeDatabase, testOnBoth } from "../databases.ts";
import { addition, balanceOf, makeAccount } from "../ledger.ts";

testOnBoth("units of a group are decided at one time, later groups later", async (database) => {
  let nowMs = AT_MS;
  const db = await database.open({ clock: { ...systemClock, nowMs: () => nowMs++ } });
  const timeNow = () => db.write({ reads: [], decide: (view) => view.nowMs });
  const first = await Promise.all(Array.from({ length: 50 }, timeNow));
  assert.equal(new Set(first).size, 1);
  const [time] = first;
  assert.ok(time !== undefined && time >= AT_MS);
  assert.ok(await timeNow() > time);
});

Deno.test("a write that hangs for five seconds counts as failing until it ends", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  const connected = await database.connect();
  const release = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const connection: Connection = {
    batch: async (statements, mode) => {
      asked.resolve();
      await release.promise;
      return await connected.batch(statements, mode);
    },
  };
  let nowMs = 0;
  const options = { connection, tables: TABLES, instance: "me", clock: systemClock };
  const writer = new GroupCommit({ ...options, monotonicMs: () => nowMs });
  const execute = () => Promise.reject(new Error("Behind a write that hangs, none is tried"));
  const takesWrites = writeProbe({ writer, execute, clock: systemClock });
  const written = writer.run(addition(accountId));
  await asked.promise;
  nowMs += 4_999;
  assert.equal(await takesWrites(), true);
  nowMs += 1;
  assert.equal(await takesWrites(), false);
  release.resolve();
  await written;
  await writer.idle();
  assert.equal(await takesWrites(), true);
  assert.equal(await balanceOf(db, accountId), 1n);
});
