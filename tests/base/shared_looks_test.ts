import assert from "node:assert/strict";
import { SharedLooks } from "../../src/base/waiting/shared_looks.ts";
import { nextTurn } from "../../src/base/waiting/next_turn.ts";

Deno.test("those who ask in one turn share a look that begins after all of them", async () => {
  const looks = new SharedLooks<number | string>();
  let asked = 0;
  const ask = () => {
    asked++;
    return looks.run("a", () => Promise.resolve(asked));
  };
  const first = [ask(), ask(), ask()];
  const other = looks.run("b", () => Promise.resolve("other"));
  assert.deepEqual(await Promise.all(first), [3, 3, 3]);
  assert.equal(await other, "other");
  assert.equal(await ask(), 4);
});

Deno.test("whoever asks while a look is under way gets one that begins later", async () => {
  const looks = new SharedLooks<string>();
  const gate = Promise.withResolvers<string>();
  const early = looks.run("a", () => gate.promise);
  await nextTurn();
  const late = looks.run("a", () => Promise.resolve("late"));
  assert.equal(await late, "late");
  gate.resolve("early");
  assert.equal(await early, "early");
});

Deno.test("a look that fails fails for those who share it, and the next one is its own", async () => {
  const looks = new SharedLooks<number>();
  const failing = () => Promise.reject(new Error("no"));
  const results = await Promise.allSettled([looks.run("a", failing), looks.run("a", failing)]);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await looks.run("a", () => Promise.resolve(1)), 1);
});
