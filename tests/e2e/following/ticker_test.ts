import assert from "node:assert/strict";
import type { Log, LogFields } from "../../../src/base/log.ts";
import { createTicker } from "../../../src/workers/ticker.ts";

const RUN_MS = 5_000;

/** Runs the ticker, each run with this error, and returns what it logs. */
async function reportOf(errors: readonly (string | null)[]): Promise<string[]> {
  const reported: string[] = [];
  const note = (message: string, fields: LogFields = {}) => {
    reported.push(`${message}: run ${runs}, ${fields.failures} failures, ${fields.error}`);
  };
  const log: Log = { debug: note, info: note, warn: note, error: note };
  let runs = 0;
  const ended = Promise.withResolvers<void>();
  const run = async () => {
    if (runs === errors.length) return ended.resolve();
    await Promise.resolve();
    void ticker.keepAlive();
    const error = errors[runs++];
    if (error) throw new Error(error);
  };
  const clock = { nowMs: () => runs * RUN_MS };
  const ticker = createTicker({ name: "job", pauseMs: 0, run }, { clock, log });
  void ticker.keepAlive();
  await ended.promise;
  await ticker.stop();
  return reported;
}

Deno.test("a job that keeps failing in the same way is logged once a minute, and when it works again", async () => {
  const away = Array.from({ length: 14 }, () => "away");
  assert.deepEqual(await reportOf([null, ...away, null, null]), [
    "job failed: run 2, 1 failures, Error: away",
    "job failed: run 14, 13 failures, Error: away",
    "job works again: run 16, 14 failures, undefined",
  ]);
});

Deno.test("a different failure, or one after a success, is logged at once", async () => {
  assert.deepEqual(await reportOf(["away", "away", "odd", null, "odd", null]), [
    "job failed: run 1, 1 failures, Error: away",
    "job failed: run 3, 3 failures, Error: odd",
    "job works again: run 4, 3 failures, undefined",
    "job failed: run 5, 1 failures, Error: odd",
  ]);
});
