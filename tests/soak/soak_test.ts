import assert from "node:assert/strict";
import { soak } from "./soak.ts";

/** Seeds that once failed stay in the list. */
const SEEDS = [1, 2];

for (const seed of SEEDS) {
  Deno.test(`through reorganisations, kills and a bad connection every coin is accounted for (seed ${seed})`, async () => {
    const { totals, findings } = await soak({
      seed,
      busyMs: 10_000,
      stepsMin: 100,
      settlingMsMax: 300_000,
    });
    assert.deepEqual(findings, []);
    for (const [what, count] of Object.entries(totals)) {
      if (what !== "bumps") assert.ok(count > 0, `It met ${what}: ${JSON.stringify(totals)}`);
    }
  });
}
