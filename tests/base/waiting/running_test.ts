import assert from "node:assert/strict";
import { Running } from "../../../src/base/waiting/running.ts";

Deno.test("work of each key is in progress once, and idle waits also for what began meanwhile", async () => {
  const running = new Running();
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  running.start("a", () => one.promise.then(() => running.start("b", () => two.promise)));
  assert.throws(() => running.start("a", () => Promise.resolve()), /a is already in progress/);
  let isIdle = false;
  const idle = running.idle().then(() => isIdle = true);
  one.resolve();
  await one.promise;
  while (!running.has("b")) await Promise.resolve();
  assert.equal(isIdle, false);
  two.resolve();
  await idle;
  assert.equal(running.has("a") || running.has("b"), false);
});
