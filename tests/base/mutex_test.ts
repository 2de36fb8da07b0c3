import assert from "node:assert/strict";
import { KeyedMutex } from "../../src/base/mutex.ts";
import { seededRandom } from "../domain/random.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("work under one key runs one at a time, in order of arrival", async () => {
  const mutex = new KeyedMutex();
  const random = seededRandom(61);
  const order: string[] = [];
  await Promise.all(Array.from({ length: 30 }, (_, i) =>
    mutex.run("wallet", async () => {
      order.push(`begin ${i}`);
      for (let turns = random.below(4); turns > 0; turns--) await turn();
      order.push(`end ${i}`);
    })));
  const expected = Array.from({ length: 30 }, (_, i) => [`begin ${i}`, `end ${i}`]).flat();
  assert.deepEqual(order, expected);
});

Deno.test("work under different keys does not wait for each other", async () => {
  const mutex = new KeyedMutex();
  const gate = Promise.withResolvers<void>();
  const blocked = mutex.run("a", () => gate.promise);
  assert.equal(await mutex.run("b", () => Promise.resolve("through")), "through");
  gate.resolve();
  await blocked;
});

Deno.test("a failure reaches its own caller, and the next one runs", async () => {
  const mutex = new KeyedMutex();
  const failing = mutex.run("a", () => Promise.reject(new Error("mine")));
  const throwing = mutex.run("a", () => {
    throw new Error("thrown at once");
  });
  const next = mutex.run("a", () => Promise.resolve("fine"));
  await assert.rejects(failing, /mine/);
  await assert.rejects(throwing, /thrown at once/);
  assert.equal(await next, "fine");
});

Deno.test("work that was started by finished work still waits for what came before", async () => {
  const mutex = new KeyedMutex();
  const order: number[] = [];
  const first = mutex.run("a", async () => {
    await turn();
    order.push(1);
  });
  const third = first.then(() => mutex.run("a", () => Promise.resolve(order.push(3))));
  const second = mutex.run("a", async () => {
    await turn();
    order.push(2);
  });
  await Promise.all([first, second, third]);
  assert.deepEqual(order, [1, 2, 3]);
});
