import assert from "node:assert/strict";
import { lookUntil } from "../../src/base/clock.ts";

Deno.test("what is looked for is looked for again until it is so, and once where nobody waits", async () => {
  let looks = 0;
  const look = () => Promise.resolve(++looks);
  const isSo = (found: number) => found % 3 === 0;
  assert.equal(await lookUntil(look, { isSo, waitMs: 60_000 }), 3);
  assert.equal(await lookUntil(look, { isSo, waitMs: 0 }), 4);
});
