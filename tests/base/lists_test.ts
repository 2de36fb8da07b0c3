import assert from "node:assert/strict";
import { at, first, inTurn, last, one, zip } from "../../src/base/lists.ts";

Deno.test("an element that must be there is found, whatever it is, or its absence is a fault", () => {
  assert.deepEqual([first([1, 2]), last([1, 2]), at([1, undefined], 1)], [1, 2, undefined]);
  for (const take of [first, last, one]) {
    assert.throws(() => take([]), { name: "InvariantError" });
  }
  for (const i of [-1, 2, 0.5, NaN]) {
    assert.throws(() => at([1, 2], i), { name: "InvariantError" });
  }
});

Deno.test("one is for lists of exactly one", () => {
  assert.equal(one([7]), 7);
  assert.throws(() => one([7, 8]), {
    name: "InvariantError",
    message: "One element was expected, not 2",
  });
});

Deno.test("lists are matched place by place, and only if they are equally long", () => {
  assert.deepEqual(zip(["a", "b"], [1, undefined]), [["a", 1], ["b", undefined]]);
  assert.throws(() => zip(["a"], []), { name: "InvariantError" });
  assert.throws(() => zip([], [1]), { name: "InvariantError" });
});

Deno.test("lists take turns, and the longest goes on alone", () => {
  assert.deepEqual(inTurn([["a", "b", "c"], [], ["d"], ["e", "f"]]), [
    "a",
    "d",
    "e",
    "b",
    "f",
    "c",
  ]);
  assert.deepEqual(inTurn([]), []);
});
