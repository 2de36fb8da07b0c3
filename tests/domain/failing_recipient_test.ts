import assert from "node:assert/strict";
import { isFailing } from "../../src/domain/failing_recipient.ts";

const HOUR = 3_600_000;

Deno.test("two failures within 24 hours are too many, in any order and whatever happens in between", () => {
  assert.equal(isFailing([]), false);
  assert.equal(isFailing([5]), false);
  assert.equal(isFailing([5, 5]), true);
  assert.equal(isFailing([0, 24 * HOUR]), true);
  assert.equal(isFailing([0, 24 * HOUR + 1]), false);
  assert.equal(isFailing([24 * HOUR, 0]), true);
  assert.equal(isFailing([0, 25 * HOUR, 50 * HOUR]), false);
  assert.equal(isFailing([0, 25 * HOUR, 75 * HOUR, 99 * HOUR]), true);
});

Deno.test("the result is the same as checking each pair", () => {
  const times = [0, 1, 23, 24, 25, 47, 48, 49, 72].map((hours) => hours * HOUR);
  for (let chosen = 0; chosen < 2 ** times.length; chosen++) {
    const some = times.filter((_, i) => chosen >> i & 1).toReversed();
    const pairs = some.flatMap((a, i) => some.slice(i + 1).map((b) => Math.abs(a - b)));
    assert.equal(isFailing(some), pairs.some((apart) => apart <= 24 * HOUR));
  }
});
