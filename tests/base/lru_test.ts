import assert from "node:assert/strict";
import { Lru } from "../../src/base/lru.ts";
import { seededRandom } from "../domain/random.ts";

Deno.test("a full map forgets what was unused for longest", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  lru.set("c", 3);
  assert.deepEqual(["a", "b", "c"].map((key) => lru.get(key)), [undefined, 2, 3]);
});

Deno.test("reading and writing again both count as use", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  lru.get("a");
  lru.set("c", 3);
  assert.deepEqual(["a", "b", "c"].map((key) => lru.get(key)), [1, undefined, 3]);
  lru.set("a", 10);
  lru.set("d", 4);
  assert.deepEqual(["a", "c", "d"].map((key) => lru.get(key)), [10, undefined, 4]);
});

Deno.test("what isn't known is made once, also if it is falsy", () => {
  const lru = new Lru<string, number>(4);
  const asked: string[] = [];
  const make = (key: string) => asked.push(key) - 1;
  assert.deepEqual(["a", "a", "b", "a"].map((key) => lru.getOrMake(key, make)), [0, 0, 1, 0]);
  assert.deepEqual(asked, ["a", "b"]);
});

Deno.test("falsy values are kept like all others", () => {
  const lru = new Lru<string, unknown>(3);
  lru.set("zero", 0);
  lru.set("empty", "");
  lru.set("null", null);
  assert.deepEqual(["zero", "empty", "null"].map((key) => lru.get(key)), [0, "", null]);
});

Deno.test("a cleared map knows nothing and can be filled again", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.clear();
  assert.equal(lru.get("a"), undefined);
  lru.set("b", 2);
  assert.equal(lru.get("b"), 2);
});

Deno.test("after any history it keeps the newer half of its size, never too much, and no old value", () => {
  for (const seed of [51, 52, 53]) {
    const random = seededRandom(seed);
    const sizeMax = 1 + random.below(6);
    const lru = new Lru<number, number>(sizeMax);
    const newest = new Map<number, number>();
    let used: number[] = [];
    for (let i = 0; i < 5000; i++) {
      const key = random.below(10);
      const isRead = random.chance(0.5);
      if (isRead) {
        const found = lru.get(key);
        const mustKnow = used.slice(-Math.ceil(sizeMax / 2)).includes(key);
        if (mustKnow) assert.equal(found, newest.get(key), `seed ${seed}, step ${i}`);
        if (found === undefined) continue;
        assert.equal(found, newest.get(key), `seed ${seed}, step ${i}`);
        assert.ok(used.slice(-(sizeMax + 1)).includes(key), `seed ${seed}, step ${i}`);
      } else {
        lru.set(key, i);
        newest.set(key, i);
      }
      used = [...used.filter((each) => each !== key), key];
    }
  }
});
