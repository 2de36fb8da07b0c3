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

Deno.test("contract 1: whoever has an IPv6 /48 is one source too, however many networks they use", () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const limits = createPayLimits({ clock });
  const networkOf = (i: number) => `2001:db8:7:${i.toString(16)}::1`;
  const count = (take: (ip: string) => boolean) =>
    Array.from({ length: 65_536 }, (_, i) => take(networkOf(i))).filter(Boolean).length;
  assert.equal(count(limits.takeStart), 600);
  assert.equal(count(limits.takePage), 6_000);
  assert.ok(limits.takeStart("2001:db8:8::1"), "another one has its own");
  clock.ms += 1_000;
  assert.equal(count(limits.takeStart), 10);
});
