import assert from "node:assert/strict";
import { callsADay, type Idle } from "../../support/idle_calls.ts";

const IDLE: readonly (readonly [Idle, number])[] = [
  [{ blockMs: 2_000, pollIntervalMs: 2_000, isPushed: true }, 60_000],
  [{ blockMs: 2_000, pollIntervalMs: 1_000, isPushed: true }, 60_000],
  [{ blockMs: 2_000, pollIntervalMs: 2_000, isPushed: false }, 110_000],
  [{ blockMs: 12_000, pollIntervalMs: 4_000, isPushed: false }, 40_000],
];

for (const [idle, most] of IDLE) {
  const { blockMs, pollIntervalMs, isPushed } = idle;
  const how = `${isPushed ? "pushed" : "not pushed"}, polled every ${pollIntervalMs} ms`;
  Deno.test(`an idle day of blocks every ${blockMs} ms, ${how}: ${most} calls at most`, async () => {
    const aDay = await callsADay(idle);
    assert.ok(aDay <= most, `${aDay} calls a day`);
  });
}
