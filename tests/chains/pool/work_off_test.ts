import assert from "node:assert/strict";
import { mapBounded, workOff } from "../../../src/chains/pool/map_bounded.ts";

/** Jobs that end when the test ends them, and a record of what they did. */
function jobsByHand() {
  const begun: string[] = [];
  const running = new Map<string, PromiseWithResolvers<void>>();
  const job = (name: string, then: () => void = () => {}) => async () => {
    begun.push(name);
    const ended = Promise.withResolvers<void>();
    running.set(name, ended);
    await ended.promise.finally(() => running.delete(name));
    then();
  };
  const end = async (name: string, error?: Error) => {
    const { resolve, reject } = running.get(name)!;
    if (error) reject(error);
    else resolve();
    await new Promise(setImmediate);
  };
  return { begun, running, job, end };
}

Deno.test("a queue is worked off in order, with limited concurrency and jobs added on the way", async () => {
  const { begun, running, job, end } = jobsByHand();
  const queue = [job("a", () => queue.push(job("d"), job("e"))), job("b"), job("c")];
  let isDone = false;
  const done = workOff(queue, { atOnce: 2 }).then(() => isDone = true);
  for (const [ended, beginsNext] of [["b", "c"], ["c", ""], ["a", "de"], ["d", ""]] as const) {
    const before = begun.length;
    await end(ended);
    assert.equal(begun.slice(before).join(""), beginsNext);
    assert.ok(running.size <= 2 && !isDone);
  }
  await end("e");
  await done;
  assert.equal(begun.join(""), "abcde");
});

Deno.test("after an error nothing new starts, and running jobs end before it is thrown", async () => {
  const { begun, job, end } = jobsByHand();
  let reported: unknown;
  const done = workOff([job("a"), job("b"), job("c")], { atOnce: 2 }).catch((error) =>
    reported = error
  );
  await end("a", new Error("first"));
  assert.equal(reported, undefined);
  await end("b", new Error("second"));
  await done;
  assert.match(String(reported), /first/);
  assert.equal(begun.join(""), "ab");
});

Deno.test("each item's result is in its place, whichever came first", async () => {
  const waits = [3, 1, 2, 0];
  const results = await mapBounded(waits, {
    concurrencyMax: 3,
    work: async (turns) => {
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      return turns * 10;
    },
  });
  assert.deepEqual(results, [30, 10, 20, 0]);
  assert.deepEqual(await mapBounded([], { concurrencyMax: 3, work: () => Promise.reject() }), []);
});
