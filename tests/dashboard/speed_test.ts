import assert from "node:assert/strict";
import { measurePages } from "../support/page_speed.ts";

/** Beside other tests on the same machine: what grows with the table is far above it. */
const NOISE_MS = 25;

Deno.test("no page takes longer because there is a hundred times as much of everything that grows", async () => {
  const speeds = await measurePages({ few: 1_000, many: 100_000, rounds: 5 });
  const slower = speeds.filter(({ fewMs, manyMs }) => manyMs > 2 * fewMs + NOISE_MS);
  assert.deepEqual(slower, []);
  assert.ok(speeds.length > 90);
});
