import assert from "node:assert/strict";
import { Slots } from "../../src/base/waiting/slots.ts";

const LIMITS = { quickMax: 8, slowMax: 0, slowAfterMs: 60_000, ownerMax: 6 };

/** Work that ends when the test ends it. The order in which it began is kept. */
function makeWork(limits = LIMITS) {
  const slots = new Slots(limits);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const done: Promise<void>[] = [];
  const run = (owner: number) =>
    void done.push(slots.run(owner, () => {
      begun.push(owner);
      return new Promise((resolve) => ends.push(resolve));
    }));
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve));
  return {
    slots,
    begun,
    run,
    turn,
    end: async (count = 1) => {
      for (const end of ends.splice(0, count)) end();
      await turn();
    },
    endAll: async () => {
      while (ends.length > 0) {
        for (const end of ends.splice(0)) end();
        await turn();
      }
      await Promise.all(done);
    },
  };
}

Deno.test("an owner has a limit, so whoever comes later finds a free place", async () => {
  const { begun, run, endAll, slots, turn } = makeWork();
  for (let i = 0; i < 100; i++) run(1);
  await turn();
  assert.deepEqual(begun, Array(6).fill(1));
  run(2);
  await turn();
  assert.deepEqual(begun, [...Array(6).fill(1), 2]);
  await endAll();
  assert.equal(begun.length, 101);
  assert.ok(slots.isIdle);
});

Deno.test("a free place goes to the owner with the fewest, then to the one waiting longest", async () => {
  const { begun, run, end, endAll, turn } = makeWork();
  for (let i = 0; i < 50; i++) {
    run(1);
    run(2);
  }
  await turn();
  assert.equal(begun.length, 8);
  run(3);
  run(4);
  run(3);
  await end(3);
  assert.deepEqual(begun.slice(8), [3, 4, 3]);
  await endAll();
  assert.equal(begun.length, 103);
});

Deno.test("slow work gives its place to others but still counts for its owner", async () => {
  const { begun, run, endAll, turn } = makeWork({ ...LIMITS, slowMax: 8, slowAfterMs: 5 });
  for (let i = 0; i < 20; i++) run(1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(begun, Array(6).fill(1));
  for (let owner = 2; owner < 10; owner++) run(owner);
  await turn();
  assert.equal(begun.length, 14);
  await endAll();
  assert.equal(begun.length, 28);
});
