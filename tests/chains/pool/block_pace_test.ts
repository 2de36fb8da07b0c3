import assert from "node:assert/strict";
import { createBlockPace } from "../../../src/chains/pool/block_pace.ts";
import { hashOf } from "../../support/nodes/head_server.ts";

/** After these blocks, each by its height and the second of its time. */
function expectedAfter(blocks: readonly (readonly [number, number])[]): number | null {
  const pace = createBlockPace();
  for (const [height, atS] of blocks) {
    const atMs = 1_000 * atS;
    pace.note({ height, atMs, hash: hashOf(height), finalizedHeight: null, finalizedAgeMs: null });
  }
  return pace.seen().blockMs;
}

const each = (seconds: (block: number) => number, blocks = 21) =>
  Array.from({ length: blocks }, (_, n) => [n, seconds(n)] as const);

Deno.test("a block is expected after the median of the last 20, whether each was seen or not", () => {
  assert.equal(expectedAfter(each((n) => 2 * n)), 2_000);
  assert.equal(expectedAfter(each((n) => 2 * n, 20)), null, "Too few to know");
  assert.equal(expectedAfter([[0, 0], [40, 480]]), 12_000, "Each took its share");
  assert.equal(expectedAfter(each((n) => 12 * n + (n === 20 ? 3_600 : 0))), 12_000, "An outage");
  const slower = [
    ...each((n) => 2 * n),
    ...each((n) => 40 + 5 * (n + 1), 20).map(([n, at]) => [n + 21, at] as const),
  ];
  assert.equal(expectedAfter(slower), 5_000, "Older ones don't count");
});

Deno.test("of chains with several blocks a second, whose times are whole seconds, the mean counts", () => {
  assert.equal(expectedAfter(each((n) => Math.floor(n / 4))), 250);
  assert.equal(expectedAfter(each(() => 0)), null);
});

Deno.test("a tip that was seen before, or one that was taken back, changes nothing", () => {
  const blocks = each((n) => 2 * n);
  assert.equal(expectedAfter(blocks.flatMap((one) => [one, one])), 2_000);
  assert.equal(expectedAfter([...blocks, [19, 39], [20, 41], [21, 42]]), 2_000);
});
