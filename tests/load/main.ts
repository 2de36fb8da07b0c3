import assert from "node:assert/strict";
import { startAnvil } from "../support/nodes/anvil.ts";
import { showFigure } from "../support/show_figure.ts";
import { type Measured, measureLoad } from "./load.ts";
import { makeWorst } from "./worst.ts";

const STALL_MAX_MS = 250;
const MEMORY_MAX_MB = 800;
const WORST_SHOWN = 25;

Deno.test("contract 1: 200 at once of any list, file, page or stream make nobody wait", async (test) => {
  await using anvil = await startAnvil();
  await using worst = await makeWorst(anvil);
  const { measured, isQuiet } = await measureLoad(worst);
  for (const line of linesOf(measured, isQuiet)) await showFigure(test, line);
  const none = (text: (one: Measured) => string, isWrong: (one: Measured) => boolean) =>
    assert.deepEqual(measured.filter(isWrong).map((one) => `${one.name}: ${text(one)}`), []);
  none(({ spanMs }) => `${spanMs} ms`, ({ spanMs }) => spanMs > STALL_MAX_MS);
  none(({ peakMb }) => `${peakMb} MB`, ({ peakMb }) => peakMb > MEMORY_MAX_MB);
  none(({ statuses }) => JSON.stringify(statuses), ({ statuses }) => hasFault(statuses));
  none(() => "leases were lost", ({ isUnfollowed }) => isUnfollowed);
  if (isQuiet) none((one) => `${longest(one)} ms`, (one) => longest(one) > STALL_MAX_MS);
});

function hasFault(statuses: Measured["statuses"]): boolean {
  return Object.keys(statuses).some((status) => status.startsWith("5") && status !== "503");
}

function longest({ healthMs, pingMs }: Measured): number {
  return Math.max(healthMs, pingMs);
}

function linesOf(measured: readonly Measured[], isQuiet: boolean): string[] {
  const worst = measured.toSorted((a, b) => b.spanMs - a.spanMs || longest(b) - longest(a));
  const peak = Math.max(...measured.map(({ peakMb }) => peakMb));
  const lines = worst.slice(0, WORST_SHOWN).map((one) =>
    [
      one.name.padEnd(64),
      `computed ${Math.round(one.spanMs)} ms`.padStart(17),
      `waited ${Math.round(longest(one))} ms`.padStart(16),
      `${Math.round(one.peakMb)} MB`.padStart(8),
      JSON.stringify(one.statuses),
    ].join(" ")
  );
  const all = `${measured.length} in all, at most ${Math.round(peak)} MB`;
  const noise = "; other programs kept this machine busy, so waits prove nothing";
  return [...lines, all + (isQuiet ? "" : noise)];
}
