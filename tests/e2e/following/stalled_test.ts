import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { alertsOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const MINUTES_AGO = 30;

Deno.test("nodes that answer, but get no new blocks, are reported until they get one", async () => {
  const [then, now] = [60 * MINUTES_AGO, 0].map((ago) => Math.floor(Date.now() / 1_000) - ago);
  await using anvil = await startAnvil({ args: ["--timestamp", String(then)] });
  await using world = await startWorld({ anvil });
  const open = (until: (kinds: string[]) => boolean) =>
    eventually(async () => (await alertsOf(world.deps)).map(({ kind }) => kind), { until });
  await open((kinds) => kinds.includes("network_stalled"));
  const [alert] = await alertsOf(world.deps);
  assert.match(alert!.message, /^The newest block of ETH, \d+, is from \S+: payments after it/);
  await anvil.rpc("evm_setTime", [now]);
  await anvil.mine(1);
  await open((kinds) => kinds.length === 0);
});
