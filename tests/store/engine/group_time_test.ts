import assert from "node:assert/strict";
import { systemClock } from "../../../src/base/clock.ts";
import { AT_MS, testOnBoth } from "../databases.ts";

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
