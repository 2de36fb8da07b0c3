import assert from "node:assert/strict";
import type { Deps } from "../../src/deps/deps.ts";
import { dustWaitMs } from "../../src/sweeps/_waits.ts";
import type { SweepRow } from "../../src/sweeps/table.ts";

Deno.test("old dust is looked at ever more rarely, and always at a whole millisecond", () => {
  const waitMs = (ageMs: number) =>
    dustWaitMs({ clock: { nowMs: () => ageMs } } as Deps, { createdAtMs: 0 } as SweepRow);
  const [minute, hour] = [60_000, 3_600_000];
  assert.deepEqual([0, hour, 8 * hour, 100 * hour].map(waitMs), [
    10 * minute,
    10 * minute,
    hour,
    6 * hour,
  ]);
  for (let extra = 0; extra < 8; extra++) {
    assert.equal(waitMs(8 * hour + extra), hour + (extra === 0 ? 0 : 1));
  }
});
