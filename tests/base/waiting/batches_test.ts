import assert from "node:assert/strict";
import { KeyedBatches, TurnBatches } from "../../../src/base/waiting/batches.ts";

/** Batches that finish when the test says so. */
function held(jobsMax = 100) {
  const begun: {
    jobs: readonly number[];
    end: (results: PromiseSettledResult<number>[]) => void;
  }[] = [];
  const work = (jobs: readonly number[]) => {
    const { promise, resolve } = Promise.withResolvers<PromiseSettledResult<number>[]>();
    begun.push({ jobs, end: resolve });
    return promise;
  };
  const batches = new KeyedBatches(jobsMax);
  return { begun, run: (key: string, job: number) => batches.run(key, { job, work }) };
}

const doubled = (jobs: readonly number[]): PromiseSettledResult<number>[] =>
  jobs.map((job) => ({ status: "fulfilled", value: 2 * job }));

const turn = () => new Promise<void>((resolve) => queueMicrotask(resolve));

const loop = () => new Promise<void>((resolve) => setImmediate(resolve));

async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
  await loop();
}

Deno.test("jobs of one turn are a batch, and those that arrive meanwhile are the next, in order", async () => {
  const { begun, run } = held();
  const all = [0, 1].map((job) => run("a", job));
  await turns();
  all.push(...[2, 3].map((job) => run("a", job)));
  await turns();
  assert.deepEqual(begun.map(({ jobs }) => jobs), [[0, 1]]);
  begun[0]!.end(doubled([0, 1]));
  await turns();
  assert.deepEqual(begun.map(({ jobs }) => jobs), [[0, 1], [2, 3]]);
  begun[1]!.end(doubled([2, 3]));
  assert.deepEqual(await Promise.all(all), [0, 2, 4, 6]);
  const later = run("a", 4);
  await turns();
  begun[2]!.end(doubled([4]));
  assert.equal(await later, 8);
});

Deno.test("keys don't wait for each other", async () => {
  const { begun, run } = held();
  void run("a", 1);
  const other = run("b", 2);
  await turns();
  begun[1]!.end(doubled([2]));
  assert.equal(await other, 4);
  assert.deepEqual(begun[0]!.jobs, [1]);
});

Deno.test("a batch has a maximum size", async () => {
  const { begun, run } = held(2);
  const all = [1, 2, 3, 4].map((job) => run("a", job));
  for (const jobs of [[1, 2], [3, 4]]) {
    await turns();
    assert.deepEqual(begun.at(-1)!.jobs, jobs);
    begun.at(-1)!.end(doubled(jobs));
  }
  assert.deepEqual(await Promise.all(all), [2, 4, 6, 8]);
});

Deno.test("a failing job affects no other; a failing batch fails all its own jobs and no later ones", async () => {
  const { begun, run } = held();
  const first = run("a", 1);
  await turns();
  const second = [2, 3].map((job) => run("a", job));
  begun[0]!.end([{ status: "rejected", reason: new Error("no") }]);
  await assert.rejects(first, /no/);
  await turns();
  begun[1]!.end([{ status: "rejected", reason: new Error("not 2") }, ...doubled([3])]);
  const [two, three] = await Promise.allSettled(second);
  assert.match(String((two as PromiseRejectedResult).reason), /not 2/);
  assert.equal((three as PromiseFulfilledResult<number>).value, 6);
  let isBroken = true;
  const fragile = new KeyedBatches(9);
  const work = (jobs: readonly number[]) =>
    isBroken ? Promise.reject(new Error("gone")) : Promise.resolve(doubled(jobs));
  await assert.rejects(fragile.run("a", { job: 1, work }), /gone/);
  isBroken = false;
  assert.equal(await fragile.run("a", { job: 2, work }), 4);
});

Deno.test("jobs of one turn are one batch per key, in order and limited, and wait for none before", async () => {
  const begun: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const batches = new TurnBatches(2);
  const work = async (jobs: readonly number[]) => {
    begun.push(jobs);
    await new Promise<void>((resolve) => ends.push(resolve));
    return doubled(jobs);
  };
  const run = (key: string, job: number) => batches.run(key, { job, work });
  const first = [1, 2, 3].map((job) => run("a", job));
  const other = run("b", 4);
  assert.deepEqual(begun, []);
  await loop();
  assert.deepEqual(begun, [[1, 2], [3], [4]]);
  const later = run("a", 5);
  await loop();
  assert.deepEqual(begun.at(-1), [5], "though nothing before it has ended");
  ends.at(-1)!();
  assert.equal(await later, 10);
  for (const end of ends) end();
  assert.deepEqual(await Promise.all([...first, other]), [2, 4, 6, 8]);
});

Deno.test("in a batch of one turn each job fails alone, and all fail if the work throws", async () => {
  const fragile = new TurnBatches(9);
  const work = (jobs: readonly number[]) => {
    if (jobs.includes(9)) throw new Error("gone");
    const no: PromiseSettledResult<number> = { status: "rejected", reason: new Error("odd") };
    return doubled(jobs).map((one, i) => jobs[i]! % 2 === 1 ? no : one);
  };
  const reported = async (jobs: number[]) =>
    (await Promise.allSettled(jobs.map((job) => fragile.run("a", { job, work }))))
      .map((one) => one.status === "fulfilled" ? one.value : one.reason.message);
  assert.deepEqual(await reported([2, 3, 4]), [4, "odd", 8]);
  assert.deepEqual(await reported([2, 9]), ["gone", "gone"]);
  assert.deepEqual(await reported([2]), [4]);
});

Deno.test("jobs of different owners are batches one after the other, and fail alone", async () => {
  const begun: (readonly number[])[] = [];
  const batches = new KeyedBatches(9);
  const work = async (jobs: readonly number[]) => {
    begun.push(jobs);
    await loop();
    if (jobs.includes(2)) throw new Error("gone");
    return doubled(jobs);
  };
  const settled = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((job) => batches.run("a", { job, work, owner: job % 3 })),
  );
  assert.deepEqual(begun, [[1, 4], [2, 5], [3]]);
  const reported = settled.map((one) =>
    one.status === "fulfilled" ? one.value : one.reason.message
  );
  assert.deepEqual(reported, [2, "gone", 6, 8, "gone"]);
});
