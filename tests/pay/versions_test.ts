import assert from "node:assert/strict";
import { createVersions } from "../../src/pay/versions.ts";

Deno.test("however often an invoice's state is asked for, it is looked at twice a second", async () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  let looks = 0;
  const versions = createVersions({ clock }, (token) => Promise.resolve(`${token}${++looks}`));
  const asked = await Promise.all(Array.from({ length: 1_000 }, () => versions.of("a")));
  assert.deepEqual(new Set(asked), new Set(["a1"]));
  assert.equal(await versions.of("b"), "b2");
  clock.ms = 499;
  assert.equal(await versions.of("a"), "a1");
  clock.ms = 500;
  assert.equal(await versions.of("a"), "a3");
  // A clock that was set back doesn't freeze it.
  clock.ms = 0;
  assert.equal(await versions.of("a"), "a4");
});
