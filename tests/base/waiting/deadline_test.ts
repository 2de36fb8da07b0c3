import assert from "node:assert/strict";
import { deadlineIn, noDeadline, OutOfTime } from "../../../src/base/waiting/deadline.ts";
import { sleep } from "../../../src/base/clock.ts";

Deno.test("work done in time returns its result or its failure", async () => {
  const deadline = deadlineIn(60_000);
  assert.equal(await deadline.race(Promise.resolve(5)), 5);
  await assert.rejects(deadline.race(Promise.reject(new Error("mine"))), /mine/);
  deadline.cancel();
});

Deno.test("work that never ends is given up at the deadline, again and again", async () => {
  const deadline = deadlineIn(1);
  const never = new Promise<void>(() => {});
  await assert.rejects(deadline.race(never), OutOfTime);
  await assert.rejects(deadline.race(never), { message: "no answer within 1 ms" });
});

Deno.test("work that fails after the deadline disturbs nobody", async () => {
  const late = Promise.withResolvers<void>();
  await assert.rejects(deadlineIn(1).race(late.promise), OutOfTime);
  late.reject(new Error("too late to matter"));
  await new Promise((resolve) => setTimeout(resolve, 0));
});

Deno.test("without a deadline the work's own result is returned", async () => {
  assert.equal(await noDeadline.race(Promise.resolve("done")), "done");
});

Deno.test("a sleep ends when its signal fires, and doesn't start if it already has", async () => {
  const controller = new AbortController();
  const sleeping = sleep(3_600_000, controller.signal);
  controller.abort();
  await sleeping;
  await sleep(3_600_000, controller.signal);
});
