import assert from "node:assert/strict";
import { CATALOGUE } from "../../../src/networks/catalogue.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { sleep } from "../../../src/base/clock.ts";
import { createChains } from "../../../src/chains/registry.ts";
import { createCatalogSource } from "../../../src/store/engine/catalog.ts";
import { createFollowers } from "../../../src/following/workers/follow_chains.ts";
import { seededRandom } from "../../domain/random.ts";
import { type Door, SLOT_MS, startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { allocate, cursorOf, depositsOf } from "../../support/views.ts";
import { type BareWorld, startBareWorld } from "../../support/world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TRX = 1_000_000n;
const TICK_MS = 100;
const PRESET = CATALOGUE.find(({ code }) => code === "TRX")!;
const { pollIntervalMs, minConfirmations } = PRESET;
/** How often one looks who only counts what happens every hour. */
const COARSE_TICK_MS = 1_000;
/** The delay until a node has a block, and the error of our clock. */
const DELAYS_MS = { min: 150, max: 700, clock: -1_300 };

interface Simulated {
  readonly world: BareWorld;
  readonly node: TronNode;
  /** Blocks with other people's payments pass. */
  pass(blocks: number, each?: () => void): Promise<void>;
  /** Blocks pass while nobody follows. */
  skip(blocks: number): void;
  /** Calls of one endpoint since it was asked last, by path. */
  calls(door: Door): Map<string, number>;
}

async function simulate(
  endpoints: number,
  story: (simulated: Simulated, doors: readonly Door[]) => Promise<void>,
  tickMs = TICK_MS,
): Promise<void> {
  await using node = await startTronNode({ blocks: 40 });
  const doors = [node.door];
  while (doors.length < endpoints) doors.push(await node.addDoor());
  const network = {
    ...{ code: "TRX", symbol: "TRX", decimals: 6, family: "tron", finality: "finalized" } as const,
    ...{ pollIntervalMs, minConfirmations, rpcUrls: doors.map(({ url }) => url) },
    chainId: BigInt(`0x${node.chain.blocks[0]!.id.slice(-8)}`).toString(),
  };
  await using world = await startBareWorld({ network, env: { CPG_WORKER: "false" } });
  const random = seededRandom(19);
  let nowMs = node.head.timestampMs + DELAYS_MS.clock;
  const clock = { nowMs: () => nowMs };
  const chains = createChains({ waiting: { clock, sleep } });
  const catalog = createCatalogSource(world.deps.db, clock);
  const followers = createFollowers(
    { ...world.deps, clock, chains, catalog },
    createGatewayMetrics(),
  );
  const stranger = makeTronWallet(905).address;
  const seen = new Map(doors.map((door) => [door, 0]));

  async function pass(blocks: number, each = () => {}): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      const visibleAtMs = node.head.timestampMs + SLOT_MS + DELAYS_MS.clock + DELAYS_MS.min +
        random.below(DELAYS_MS.max - DELAYS_MS.min);
      for (; nowMs < visibleAtMs; nowMs += tickMs) {
        await followers.run(new AbortController().signal);
        await followers.idle();
      }
      node.pay(stranger, 1n);
      each();
      node.produce();
    }
  }

  function skip(blocks: number): void {
    for (let block = 0; block < blocks; block++) node.produce();
    nowMs += blocks * SLOT_MS;
  }

  function calls(door: Door): Map<string, number> {
    const made = door.calls.slice(seen.get(door));
    seen.set(door, door.calls.length);
    return new Map(
      [...Map.groupBy(made, ({ path }) => path)].map(([path, all]) => [path, all.length]),
    );
  }

  await story({ world, node, pass, skip, calls }, doors);
}

function total(calls: ReadonlyMap<string, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

/** Calls that follow the chain and don't belong to one payment. */
const FOLLOWING = [
  "/wallet/getblock",
  "/walletsolidity/getblock",
  "/wallet/getblockbylimitnext",
  "/wallet/gettransactioninfobyblocknum",
];

for (const endpoints of [1, 2]) {
  Deno.test(`TRON with ${endpoints} endpoints: an idle day takes 60,000 calls of each at most`, () =>
    simulate(endpoints, async ({ world, node, pass, calls }, doors) => {
      await pass(150);
      for (const door of doors) calls(door);
      const blocks = 400;
      await pass(blocks);
      for (const door of doors) {
        const made = calls(door);
        const aDay = Math.round(total(made) * DAY_MS / (blocks * SLOT_MS));
        assert.ok(aDay <= 60_000, `${aDay} a day: ${JSON.stringify([...made])}`);
        assert.ok(aDay >= 20_000, "It is followed");
      }
      const { scanHeight } = await cursorOf(world.deps, "TRX");
      assert.ok(scanHeight >= node.head.number - 2, `${scanHeight} of ${node.head.number}`);
    }));

  Deno.test(`TRON with ${endpoints} endpoints: with payments a block takes three calls of each at most`, () =>
    simulate(endpoints, async ({ world, node, pass, calls }, doors) => {
      await pass(100);
      const { address } = await allocate(world.merchant.api, { network: "TRX", currency: "TRX" });
      for (const door of doors) calls(door);
      const blocks = 200;
      let paid = 0;
      await pass(blocks, () => {
        if (node.head.number % 4 === 0) node.pay(address, TRX + BigInt(paid++));
      });
      for (const door of doors) {
        const made = calls(door);
        const following = FOLLOWING.reduce((sum, path) => sum + (made.get(path) ?? 0), 0);
        assert.ok(following <= 3 * blocks, `${following / blocks}: ${JSON.stringify([...made])}`);
        const forPayments = total(made) - following;
        assert.ok(forPayments <= 2 * paid, `${forPayments} for ${paid} payments`);
      }
      const deposits = await depositsOf(world.merchant.api);
      const credited = deposits.filter(({ status }) => status === "confirmed").length;
      assert.ok(credited >= paid - 8, `${credited} of ${paid} are deep enough, and credited`);
    }));
}

Deno.test("the first block is asked for at the start, each hour, and if a chain doesn't continue", () =>
  simulate(1, async ({ node, pass, skip }) => {
    const shown = () =>
      node.door.calls.filter(({ path, input }) =>
        path === "/wallet/getblock" && JSON.parse(input).id_or_num === "0"
      ).length;
    await pass(100);
    const atStart = shown();
    assert.ok(atStart <= 2, `${atStart} at the start`);
    skip(HOUR_MS / SLOT_MS);
    await pass(100);
    assert.equal(shown(), atStart + 1, "An hour later");
    node.reorg(3, { length: 6 });
    await pass(2);
    assert.ok(shown() > atStart + 1, "A head out of nowhere");
    const before = shown();
    node.door.onCall = () => ({ drop: "before" });
    await pass(3);
    node.door.onCall = () => {};
    await pass(3);
    assert.ok(shown() > before, "Somebody else may answer there again");
  }, COARSE_TICK_MS));
