import assert from "node:assert/strict";
import { lookUntil } from "../../src/base/clock.ts";

Deno.test("a look-up is repeated until its result is right, and done once if nobody waits", async () => {
  let looks = 0;
  const look = () => Promise.resolve(++looks);
  const isSo = (found: number) => found % 3 === 0;
  assert.equal(await lookUntil(look, { isSo, waitMs: 60_000 }), 3);
  assert.equal(await lookUntil(look, { isSo, waitMs: 0 }), 4);
});
