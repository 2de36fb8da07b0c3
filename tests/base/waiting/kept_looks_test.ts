import assert from "node:assert/strict";
import { KeptLooks } from "../../../src/base/waiting/kept_looks.ts";

Deno.test("however often the same is asked for, it is looked at twice a second", async () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  let count = 0;
  const looks = new KeptLooks<string>(clock, { keysMax: 10 });
  const ask = (key: string) => looks.of(key, () => Promise.resolve(`${key}${++count}`));
  const asked = await Promise.all(Array.from({ length: 1_000 }, () => ask("a")));
  assert.deepEqual(new Set(asked), new Set(["a1"]));
  assert.equal(await ask("b"), "b2");
  clock.ms = 499;
  assert.equal(await ask("a"), "a1");
  clock.ms = 500;
  assert.equal(await ask("a"), "a3");
  // A clock that was set back doesn't freeze it.
  clock.ms = 0;
  assert.equal(await ask("a"), "a4");
});

Deno.test("a look that takes long is the only one, and the next begins after it", async () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const looks = new KeptLooks<number>(clock, { keysMax: 10 });
  const slow = Promise.withResolvers<number>();
  const first = looks.of("a", () => slow.promise);
  clock.ms = 5_000;
  const second = looks.of("a", () => Promise.reject(new RangeError("a second look")));
  slow.resolve(1);
  assert.deepEqual(await Promise.all([first, second]), [1, 1]);
  assert.equal(await looks.of("a", () => Promise.resolve(2)), 2);
});
