import assert from "node:assert/strict";
import { setNetwork } from "../../src/networks/set.ts";
import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import { sleep } from "../../src/base/clock.ts";
import { createChains } from "../../src/chains/registry.ts";
import { createCatalogSource } from "../../src/store/engine/catalog.ts";
import { createFollowers } from "../../src/following/workers/follow_chains.ts";
import { startAnvil } from "./nodes/anvil.ts";
import { startFaultProxy } from "./nodes/fault_proxy.ts";
import { startHeadServer } from "./nodes/head_server.ts";
import { cursorOf } from "./views.ts";
import { startWorld } from "./world.ts";

const DAY_MS = 86_400_000;
const TICK_MS = 250;
const BLOCKS = 120;
const LOOK_MS = 5;
const LOOKS_MAX = 1_000;
const WARM_UP_BLOCKS = 45;

export interface Idle {
  readonly blockMs: number;
  readonly pollIntervalMs: number;
  readonly isPushed: boolean;
}

/** How many calls a day a chain takes on which nothing of ours happens. */
export async function callsADay({ blockMs, pollIntervalMs, isPushed }: Idle): Promise<number> {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using server = startHeadServer();
  await using world = await startWorld({
    anvil,
    rpcUrls: [proxy.url],
    env: { CPG_WORKER: "false" },
  });
  const change = { pollIntervalMs, wsUrls: isPushed ? [server.url] : null };
  await setNetwork(world.deps, { code: "ETH", change, actor: "test" });
  const { timestamp } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  let nowMs = 1_000 * Number(timestamp);
  const clock = { nowMs: () => nowMs };
  const chains = createChains({ waiting: { clock, sleep } });
  const catalog = createCatalogSource(world.deps.db, clock);
  const followers = createFollowers(
    { ...world.deps, clock, chains, catalog },
    createGatewayMetrics(),
  );
  const { signal } = new AbortController();
  const scanned = async () => (await cursorOf(world.deps)).scanHeight;

  async function pass(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      for (const endMs = nowMs + blockMs; nowMs < endMs; nowMs += TICK_MS) {
        await followers.run(signal);
        await followers.idle();
      }
      await anvil.rpc("evm_setNextBlockTimestamp", [nowMs / 1_000]);
      await anvil.mine(1);
      const { number, hash } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
      if (server.open.size === 0) continue;
      server.push({ number, hash });
      for (let looks = 0; looks < LOOKS_MAX && await scanned() < Number(number); looks++) {
        await sleep(LOOK_MS);
      }
      assert.equal(await scanned(), Number(number), "A pushed block is read");
      await followers.idle();
    }
  }

  await pass(WARM_UP_BLOCKS);
  const before = proxy.bodies.length;
  await pass(BLOCKS);
  const calls = proxy.bodies.slice(before).flat();
  assert.ok(await scanned() >= Number(await anvil.rpc("eth_blockNumber")) - 1, "It is followed");
  await followers.close();
  await followers.idle();
  return Math.round(calls.length * DAY_MS / (BLOCKS * blockMs));
}
