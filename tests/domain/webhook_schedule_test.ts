import assert from "node:assert/strict";
import {
  nextTryAtMs,
  pauseMs,
  RETRY_DELAYS_MS,
} from "../../src/webhooks/rules/webhook_schedule.ts";

const AT_MS = Date.parse("2026-01-31T12:00:00Z");
const failed = { attempts: 1, atMs: AT_MS, retryAfter: null, chance: 0.5 };

Deno.test("contract 4: retries after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h, 24 h, then never", () => {
  const seconds = [5, 30, 120, 600, 1800, 7200, 21_600, 43_200, 86_400];
  assert.deepEqual(RETRY_DELAYS_MS, seconds.map((s) => s * 1000));
  seconds.forEach((s, i) =>
    assert.equal(nextTryAtMs({ ...failed, attempts: i + 1 }), AT_MS + s * 1000)
  );
  assert.equal(nextTryAtMs({ ...failed, attempts: 10 }), undefined);
});

Deno.test("each delay varies by a fifth either way", () => {
  assert.equal(nextTryAtMs({ ...failed, chance: 0 }), AT_MS + 4000);
  assert.equal(nextTryAtMs({ ...failed, chance: 1 }), AT_MS + 6000);
});

for (
  const [retryAfter, delayMs] of [
    ["1", 5000],
    ["60", 60_000],
    ["999999999", 86_400_000],
    ["Sat, 31 Jan 2026 12:02:00 GMT", 120_000],
    ["Sat, 31 Jan 2026 11:00:00 GMT", 5000],
    ["-5", 5000],
    ["soon", 5000],
    ["1e9", 5000],
  ] as const
) {
  Deno.test(`Retry-After: ${retryAfter} delays the next attempt by ${delayMs} ms`, () => {
    assert.equal(nextTryAtMs({ ...failed, retryAfter }), AT_MS + delayMs);
  });
}

Deno.test("an endpoint is paused only after 20 failures in a row, and never for over five minutes", () => {
  assert.equal(pauseMs(19), 0);
  assert.deepEqual([20, 21, 22].map(pauseMs), [5000, 10_000, 20_000]);
  assert.equal(pauseMs(1_000_000), 300_000);
});
