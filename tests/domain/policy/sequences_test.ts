import assert from "node:assert/strict";
import { playSequence } from "./sequences.ts";

/** `CPG_TEST_SEQUENCES=1000000` plays them all. */
const SEQUENCES = Number(Deno.env.get("CPG_TEST_SEQUENCES") ?? 20_000);

Deno.test("rules decide like a model that looks at every payment", () => {
  let judged = 0;
  for (let seed = 1; seed <= SEQUENCES; seed++) judged += playSequence(seed);
  assert.ok(judged > 2 * SEQUENCES, `${judged} payments`);
});
