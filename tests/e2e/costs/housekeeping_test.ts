import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { holdEverything } from "../../../src/upkeep/leases.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { createLog } from "../../../src/base/log.ts";
import type { Chain } from "../../../src/chains/chain.ts";
import { NetworkKeeper } from "../../../src/networks/worker.ts";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, hex } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { fundGasWallet, startSweepingWorld } from "../../support/sweeping.ts";

Deno.test("a step for a network that fails is reported, and doesn't stop those after it", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { merchant: { hotWallet } } = world;
  await setNetwork(world.deps, { code: "ETH", change: { hotGasTarget: "1" }, actor: "test" });
  await fundGasWallet(world, 10n * ETHER);
  const metrics = createGatewayMetrics();
  metrics.gauge = () => {
    throw new Error("not measured");
  };
  const reported: Record<string, unknown>[] = [];
  const write = (line: () => string) => void reported.push(JSON.parse(line()));
  const log = createLog({ level: "error", clock: world.deps.clock, write });
  const deps = { ...world.deps, log };
  const keeper = new NetworkKeeper(deps, metrics, holdEverything(deps));
  await keeper.look();
  await keeper.idle();
  assert.deepEqual(reported.map(({ message, network }) => [message, network]), [
    ["job failed", "ETH"],
  ]);
  assert.match(JSON.stringify(reported[0]!.error), /not measured/);
  await anvil.rpc("anvil_mine", [hex(1n)]);
  assert.equal(await receivedBy(anvil, hotWallet), ETHER);
});

Deno.test("while one network's node keeps a question, the others have round after round", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  await makeNetwork(world.deps, { code: "SLOW", symbol: "SLO", rpcUrls: [anvil.url] });
  const { accountId } = world.merchant;
  await enable(world.deps, { accountId, network: "SLOW", currency: "SLO" });
  const answer = Promise.withResolvers<void>();
  const asked: string[] = [];
  const deps = askingThrough(world.deps, async (network) => {
    asked.push(network);
    if (network === "SLOW") await answer.promise;
  });
  const keeper = new NetworkKeeper(deps, createGatewayMetrics(), holdEverything(deps));
  const count = (code: string) => asked.filter((network) => network === code).length;
  while (count("ETH") < 6) {
    await keeper.look();
    await nextTurn();
  }
  assert.equal(count("SLOW"), 1);
  answer.resolve();
  await keeper.idle();
});

/** Calls `before` whenever a network's newest block is asked for. */
function askingThrough(deps: Deps, before: (network: string) => Promise<void>): Deps {
  const of: Deps["chains"]["of"] = (network) => {
    const chain = deps.chains.of(network);
    const tip: Chain["tip"] = async () => {
      await before(network.code);
      return await chain.tip();
    };
    return Object.create(chain, { tip: { value: tip } });
  };
  return { ...deps, chains: { ...deps.chains, of } };
}
