import assert from "node:assert/strict";
import { createPayLimits } from "../../src/pay/limits.ts";

Deno.test("an address gets 60 starts and 600 pages a minute, and an IPv6 network counts as one", () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const limits = createPayLimits({ clock });
  const count = (take: (ip: string) => boolean, ipOf: (i: number) => string) =>
    Array.from({ length: 100_000 }, (_, i) => take(ipOf(i))).filter(Boolean).length;
  assert.equal(count(limits.takeStart, () => "192.0.2.1"), 60);
  assert.equal(count(limits.takePage, () => "192.0.2.1"), 600);
  assert.equal(count(limits.takeStart, (i) => `2001:db8:0:1::${(i % 60_000).toString(16)}`), 60);
  assert.ok(limits.takeStart("192.0.2.2"));
  clock.ms += 1_000;
  assert.equal(count(limits.takeStart, () => "192.0.2.1"), 1);
});
