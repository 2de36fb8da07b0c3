import assert from "node:assert/strict";
import { KeyedPlaces } from "../../../src/base/waiting/keyed_places.ts";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { TooBusy } from "../../../src/base/waiting/turns.ts";
import { stayAwake } from "./_stay_awake.ts";

Deno.test("each key has places of its own, and its works begin in the order of asking", async () => {
  using _awake = stayAwake();
  const places = new KeyedPlaces(2, { waitMaxMs: 60_000 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (key: string, name: string) =>
    places.run(key, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const works = [ask("a", "a1"), ask("a", "a2"), ask("a", "a3"), ask("a", "a4"), ask("b", "b1")];
  await nextTurn();
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  for (let ended = 0; ended < works.length; ended++) {
    ends[ended]!();
    while (begun.length < Math.min(works.length, ended + 4)) await nextTurn();
  }
  await Promise.all(works);
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3", "a4"]);
});

Deno.test("a work that fails gives its place up, and whoever waits too long is refused", async () => {
  using _awake = stayAwake();
  const places = new KeyedPlaces(1, { waitMaxMs: 5 });
  const { promise, reject } = Promise.withResolvers<void>();
  const failing = places.run("a", () => promise);
  await assert.rejects(places.run("a", () => Promise.resolve()), TooBusy);
  reject(new RangeError("away"));
  await assert.rejects(failing, RangeError);
  assert.equal(await places.run("a", () => Promise.resolve(7)), 7);
});
