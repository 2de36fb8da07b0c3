import assert from "node:assert/strict";
import { Places } from "../../../src/base/waiting/places.ts";
import { stayAwake } from "./_stay_awake.ts";

Deno.test("places are handed on in the order of asking, and free ones are taken at once", async () => {
  const places = new Places(2, { waitMaxMs: 60_000 });
  assert.deepEqual([places.take(), places.take()], [true, true]);
  const entered: string[] = [];
  const enter = async (name: string) => {
    if (await places.take()) entered.push(name);
  };
  const all = [enter("a"), enter("b"), enter("c")];
  places.leave();
  await all[0];
  assert.deepEqual(entered, ["a"]);
  places.leave();
  places.leave();
  await Promise.all(all);
  assert.deepEqual(entered, ["a", "b", "c"]);
  for (let i = 0; i < 2; i++) places.leave();
  assert.deepEqual([places.take(), places.take()], [true, true]);
});

Deno.test("whoever waited for too long has no place, and none is lost by that", async () => {
  using _awake = stayAwake();
  const places = new Places(1, { waitMaxMs: 5 });
  assert.equal(places.take(), true);
  assert.deepEqual(await Promise.all([places.take(), places.take()]), [false, false]);
  places.leave();
  assert.equal(places.take(), true);
});
