import assert from "node:assert/strict";
import { KeyedBatches } from "../../src/base/batches.ts";

/** Batches that the test lets through one by one. */
function held(jobsMax = 100) {
  const begun: {
    jobs: readonly number[];
    end: (results: PromiseSettledResult<number>[]) => void;
  }[] = [];
  const batches = new KeyedBatches<number, number>((jobs) => {
    const { promise, resolve } = Promise.withResolvers<PromiseSettledResult<number>[]>();
    begun.push({ jobs, end: resolve });
    return promise;
  }, jobsMax);
  return { begun, batches };
}

const doubled = (jobs: readonly number[]): PromiseSettledResult<number>[] =>
  jobs.map((job) => ({ status: "fulfilled", value: 2 * job }));

const turn = () => new Promise<void>((resolve) => queueMicrotask(resolve));

async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

Deno.test("what arrives while a batch is under way is the next batch, in order", async () => {
  const { begun, batches } = held();
  const all = [1, 2, 3].map((job) => batches.run("a", job));
  await turns();
  assert.deepEqual(begun.map(({ jobs }) => jobs), [[1]]);
  begun[0]!.end(doubled([1]));
  await turns();
  assert.deepEqual(begun.map(({ jobs }) => jobs), [[1], [2, 3]]);
  begun[1]!.end(doubled([2, 3]));
  assert.deepEqual(await Promise.all(all), [2, 4, 6]);
  const later = batches.run("a", 4);
  begun[2]!.end(doubled([4]));
  assert.equal(await later, 8);
});

Deno.test("keys do not wait for each other", async () => {
  const { begun, batches } = held();
  void batches.run("a", 1);
  const other = batches.run("b", 2);
  begun[1]!.end(doubled([2]));
  assert.equal(await other, 4);
  assert.deepEqual(begun[0]!.jobs, [1]);
});

Deno.test("a batch has its most", async () => {
  const { begun, batches } = held(2);
  const all = [1, 2, 3, 4].map((job) => batches.run("a", job));
  for (const jobs of [[1], [2, 3], [4]]) {
    await turns();
    assert.deepEqual(begun.at(-1)!.jobs, jobs);
    begun.at(-1)!.end(doubled(jobs));
  }
  assert.deepEqual(await Promise.all(all), [2, 4, 6, 8]);
});

Deno.test("one job that fails takes no other with it; a batch that fails takes all its own and no later one", async () => {
  const { begun, batches } = held();
  const first = batches.run("a", 1);
  const second = [2, 3].map((job) => batches.run("a", job));
  begun[0]!.end([{ status: "rejected", reason: new Error("no") }]);
  await assert.rejects(first, /no/);
  begun[1]!.end([{ status: "rejected", reason: new Error("not 2") }, ...doubled([3])]);
  const [two, three] = await Promise.allSettled(second);
  assert.match(String((two as PromiseRejectedResult).reason), /not 2/);
  assert.equal((three as PromiseFulfilledResult<number>).value, 6);
  let isBroken = true;
  const fragile = new KeyedBatches<number, number>(
    (jobs) => isBroken ? Promise.reject(new Error("gone")) : Promise.resolve(doubled(jobs)),
    9,
  );
  await assert.rejects(fragile.run("a", 1), /gone/);
  isBroken = false;
  assert.equal(await fragile.run("a", 2), 4);
});
