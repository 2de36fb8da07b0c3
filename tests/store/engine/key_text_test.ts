import assert from "node:assert/strict";
import { keyText, type RowValue } from "../../../src/store/tables/table.ts";

const VALUES: readonly RowValue[] = [
  ...[0, 1, 5, 11, -5, Number.MAX_SAFE_INTEGER],
  ...["", "5", "#5;", "-", "1:5", ":", "5#", "a", "ab", "1:a", "😀", "\ud83d", "[5]"],
  null,
];

Deno.test("no two lists of values make the same key", () => {
  const lists: RowValue[][] = [];
  for (const a of VALUES) {
    lists.push([a]);
    for (const b of VALUES) {
      lists.push([a, b]);
      for (const c of VALUES) lists.push([a, b, c]);
    }
  }
  assert.equal(new Set(lists.map((values) => keyText(values))).size, lists.length);
});
