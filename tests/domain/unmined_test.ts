import assert from "node:assert/strict";
import { type Unmined, unminedFamilies } from "../../src/outputs/rules/unmined.ts";

const of = (txHash: string, outpoints: readonly string[], isLive = true): Unmined => ({
  txHash,
  isLive,
  outpoints,
});
const NONE: ReadonlySet<string> = new Set();

Deno.test("those that spend what others make are one family, and others are another", () => {
  const families = unminedFamilies([
    of("a", ["mined:0"]),
    of("b", ["a:1"]),
    of("c", ["mined:1"]),
    of("d", ["b:1", "c:1"]),
    of("e", ["mined:2"]),
  ], NONE);
  for (const one of ["a", "b", "c", "d"]) {
    assert.deepEqual([...families.familyOf(one)].toSorted(), ["a", "b", "c", "d"]);
  }
  assert.deepEqual([...families.familyOf("e")], ["e"]);
  assert.ok(["a", "b", "c", "d", "e"].every((one) => families.isSound(one)));
  assert.deepEqual([...families.before("d")].toSorted(), ["a", "b", "c"]);
  assert.deepEqual([...families.after("a")].toSorted(), ["b", "d"]);
  assert.deepEqual([...families.before("a"), ...families.after("d")], []);
});

Deno.test("what comes from one that was replaced is not sound, and lost only once another was mined for good", () => {
  const open = [
    of("old", ["mined:0"], false),
    of("new", ["mined:0"]),
    of("child", ["old:1"]),
    of("grandchild", ["child:1", "mined:1"]),
  ];
  const waiting = unminedFamilies(open, NONE);
  assert.deepEqual(["new", "child", "grandchild"].map(waiting.isSound), [true, false, false]);
  assert.deepEqual(waiting.lostOf("child"), []);
  assert.deepEqual([...waiting.before("child")], [], "No newest bytes make it");
  assert.deepEqual([...waiting.after("old")].toSorted(), ["child", "grandchild"]);
  const settled = unminedFamilies(open.slice(2), new Set(["old"]));
  assert.deepEqual(settled.lostOf("child"), ["old:1"]);
  assert.deepEqual(settled.lostOf("grandchild"), ["child:1"]);
});
