import assert from "node:assert/strict";
import {
  FAILED_MAX,
  isFailing,
  isFailingTooOften,
  PAYMENTS_SEEN,
} from "../../src/withdrawals/rules/failing_recipient.ts";

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

Deno.test("twenty failures among the newest forty payments are too many, wherever they are", () => {
  const mixed = (failed: number, paid: number) => [
    ...Array<boolean>(failed).fill(false),
    ...Array<boolean>(paid).fill(true),
  ];
  for (let paid = 0; paid <= PAYMENTS_SEEN; paid++) {
    for (let failed = 0; failed <= PAYMENTS_SEEN; failed++) {
      const newestFirst = mixed(failed, paid);
      const seen = (list: boolean[]) => list.slice(0, PAYMENTS_SEEN).filter((ok) => !ok).length;
      assert.equal(isFailingTooOften(newestFirst), failed >= FAILED_MAX);
      const oldest = newestFirst.toReversed();
      assert.equal(isFailingTooOften(oldest), seen(oldest) >= FAILED_MAX);
    }
  }
});
