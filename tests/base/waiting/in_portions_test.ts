import assert from "node:assert/strict";
import { mapInPortions } from "../../../src/base/waiting/in_portions.ts";
import { turnsDuring } from "../../support/programs/turns_during.ts";

function busy(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

Deno.test("a list is mapped in its order, one item after the other", async () => {
  const begun: number[] = [];
  const results = await mapInPortions([3, 1, 2], async (item, i) => {
    begun.push(item);
    await Promise.resolve();
    assert.equal(begun.length, i + 1);
    return 10 * item;
  });
  assert.deepEqual([results, begun], [[30, 10, 20], [3, 1, 2]]);
  await assert.rejects(mapInPortions([1], () => Promise.reject(new RangeError())), RangeError);
});

Deno.test("the event loop turns every few milliseconds of long work, and not for short work", async () => {
  const items = Array.from({ length: 40 }, (_, i) => i);
  assert.ok(await turnsDuring(() => mapInPortions(items, () => busy(5))) >= 5);
  assert.ok(await turnsDuring(() => mapInPortions(items, () => {})) <= 1);
  const mixed = Array.from({ length: 64 }, (_, i) => i % 8);
  assert.ok(await turnsDuring(() => mapInPortions(mixed, (i) => i > 0 && busy(2))) >= 5);
});
