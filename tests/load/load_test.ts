import assert from "node:assert/strict";
import { startAnvil } from "../support/nodes/anvil.ts";
import { type Measured, measureLoad } from "./load.ts";
import { makeWorst } from "./worst.ts";

const STALL_MAX_MS = 250;
const MEMORY_MAX_MB = 800;
const NOT_FOLLOWED = "network is not followed";
const WORST_SHOWN = 25;

Deno.test("contract 1: 200 at once of any list, file, page or stream make nobody wait", async () => {
  await using anvil = await startAnvil();
  await using worst = await makeWorst(anvil);
  const { measured, log } = await measureLoad(worst);
  show(measured);
  const slow = measured.filter(({ cpuMs }) => cpuMs > STALL_MAX_MS);
  assert.deepEqual(slow.map(({ name, cpuMs }) => `${name}: ${cpuMs} ms`), []);
  const large = measured.filter(({ peakMb }) => peakMb > MEMORY_MAX_MB);
  assert.deepEqual(large.map(({ name, peakMb }) => `${name}: ${Math.round(peakMb)} MB`), []);
  const faults = measured.flatMap(({ name, statuses }) =>
    Object.keys(statuses).filter((status) => /^5(?!03)/.test(status)).map((status) =>
      `${name}: ${status}`
    )
  );
  assert.deepEqual(faults, []);
  assert.ok(!log.includes(NOT_FOLLOWED), "Leases survive the load");
});

/** The worst first: what others waited, and what the gateway computed meanwhile. */
function show(measured: readonly Measured[]): void {
  const worst = measured.toSorted((a, b) => b.cpuMs - a.cpuMs || longest(b) - longest(a));
  const peak = Math.max(...measured.map(({ peakMb }) => peakMb));
  const lines = worst.slice(0, WORST_SHOWN).map((one) =>
    [
      one.name.padEnd(64),
      `waited ${Math.round(longest(one))} ms`.padStart(16),
      `computed ${one.cpuMs} ms`.padStart(18),
      `${Math.round(one.peakMb)} MB`.padStart(8),
      JSON.stringify(one.statuses),
    ].join(" ")
  );
  // deno-lint-ignore no-console -- the result of this test
  console.log([...lines, `${measured.length} in all, at most ${Math.round(peak)} MB`].join("\n"));
}

function longest({ healthMs, pingMs }: Measured): number {
  return Math.max(healthMs, pingMs);
}
