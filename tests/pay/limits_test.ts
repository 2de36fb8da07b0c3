import assert from "node:assert/strict";
import { TooBusy } from "../../src/base/waiting/turns.ts";
import { createPayLimits } from "../../src/pay/limits.ts";
import { makeInvoice } from "../support/checkout/invoices.ts";
import { payInside } from "../support/checkout/pay_inside.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../support/gateway.ts";

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
const { memory } = deps;
const network = await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
const { accountId } = await makeMerchant(gateway);
await enable(deps, { accountId, network, currency: "ETH" });

const OF_SOURCE_MAX = 128;

Deno.test("an address gets 60 starts and 600 pages a minute, and an IPv6 network counts as one", () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const limits = createPayLimits({ clock, memory });
  const count = (take: (ip: string) => boolean, ipOf: (i: number) => string) =>
    Array.from({ length: 100_000 }, (_, i) => take(ipOf(i))).filter(Boolean).length;
  assert.equal(count(limits.takeStart, () => "192.0.2.1"), 60);
  assert.equal(count(limits.takePage, () => "192.0.2.1"), 600);
  assert.equal(count(limits.takeUpdate, () => "192.0.2.1"), 6_000);
  assert.equal(count(limits.takeLogo, () => "192.0.2.1"), 600);
  assert.equal(count(limits.takeStart, (i) => `2001:db8:0:1::${(i % 60_000).toString(16)}`), 60);
  assert.ok(limits.takeStart("192.0.2.2"));
  clock.ms += 1_000;
  assert.equal(count(limits.takeStart, () => "192.0.2.1"), 1);
});

Deno.test("contract 1: whoever has an IPv6 /48 is one source too, however many networks they use", () => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const limits = createPayLimits({ clock, memory: deps.memory });
  const networkOf = (i: number) => `2001:db8:7:${i.toString(16)}::1`;
  const count = (take: (ip: string) => boolean) =>
    Array.from({ length: 65_536 }, (_, i) => take(networkOf(i))).filter(Boolean).length;
  assert.equal(count(limits.takeStart), 600);
  assert.equal(count(limits.takePage), 6_000);
  assert.ok(limits.takeStart("2001:db8:8::1"), "another one has its own");
  clock.ms += 1_000;
  assert.equal(count(limits.takeStart), 10);
});

Deno.test("checkout 2: /pay/…/state answers an address 6,000 times a minute, whatever its pages use", async () => {
  const { token } = await makeInvoice(deps, { accountId, chosen: null });
  const ask = payInside(gateway);
  const counts = new Map<number, number>();
  for (let at = 0; at < 6_100; at += 100) {
    const some = Array.from({ length: 100 }, () => ask("192.0.2.1", `/pay/${token}/state`));
    for (const status of await Promise.all(some)) {
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  }
  assert.deepEqual(Object.fromEntries(counts), { 200: 6_000, 429: 100 });
  assert.equal(await ask("192.0.2.1", `/pay/${token}`), 200);
  assert.equal(await ask("192.0.2.2", `/pay/${token}/state`), 200);
});

Deno.test("of pages at once an address gets 16, 112 wait, and more are a 429; another is answered", async () => {
  const { token } = await makeInvoice(deps, { accountId, chosen: null });
  const ask = payInside(gateway);
  const crowd = Array.from({ length: 250 }, () => ask("192.0.2.1", `/pay/${token}`));
  const other = ask("192.0.2.2", `/pay/${token}`);
  const counts = Map.groupBy(await Promise.all(crowd), (status) => status);
  assert.deepEqual([counts.get(200)?.length, counts.get(429)?.length], [OF_SOURCE_MAX, 122]);
  assert.equal(await other, 200);
  assert.equal(await ask("192.0.2.1", `/pay/${token}`), 200);
  // Whoever is refused is told at once.
  const limits = createPayLimits(deps);
  const never = Promise.withResolvers<void>();
  const held = Array.from(
    { length: OF_SOURCE_MAX },
    () => limits.update("192.0.2.3", () => never.promise),
  );
  const more = Array.from(
    { length: OF_SOURCE_MAX },
    () => limits.update("192.0.2.3", () => never.promise),
  );
  await assert.rejects(limits.update("192.0.2.3", () => never.promise), TooBusy);
  never.resolve();
  await Promise.all([...held, ...more]);
});
