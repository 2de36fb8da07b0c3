import assert from "node:assert/strict";
import { setNetwork } from "../../../src/actions/networks/set.ts";
import { holdEverything } from "../../../src/actions/operations/leases.ts";
import { createGatewayMetrics } from "../../../src/actions/operations/metrics.ts";
import { keepHouse } from "../../../src/workers/housekeeping.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, hex } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { fundGasWallet, startSweepingWorld } from "../../support/sweeping.ts";

Deno.test("a step of housekeeping that fails is reported, and doesn't stop those after it", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { hotWallet } } = world;
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "1" }, actor: "test" });
  await fundGasWallet(world, 10n * ETHER);
  const metrics = createGatewayMetrics();
  metrics.gauge = () => {
    throw new Error("not measured");
  };
  await assert.rejects(keepHouse(holdEverything(deps), metrics), /not measured/);
  await anvil.rpc("anvil_mine", [hex(1n)]);
  assert.equal(await receivedBy(anvil, hotWallet), ETHER);
});
