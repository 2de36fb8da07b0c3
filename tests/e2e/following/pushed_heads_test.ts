import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { holdEverything, type JobHolder } from "../../../src/upkeep/leases.ts";
import { lookUntil } from "../../../src/base/clock.ts";
import { createChains } from "../../../src/chains/registry.ts";
import { createCatalogSource } from "../../../src/store/engine/catalog.ts";
import { endpointsOf } from "../../../src/networks/reads/health.ts";
import { createFollowers } from "../../../src/following/workers/follow_chains.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { type FaultProxy, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { headOf, type HeadServer, startHeadServer } from "../../support/nodes/head_server.ts";
import { cursorOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
});
Deno.test.afterAll(() => anvil.stop());

const ACTOR = "test";
const POLL_MS = 60_000;
const BLOCK_MS = 1_000;

interface Following extends AsyncDisposable {
  readonly world: World;
  readonly proxy: FaultProxy;
  /** One tick of the worker, and what it started. */
  tick(aheadMs?: number): Promise<void>;
  until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Mines a block and says so over the socket. */
  pushBlock(server: HeadServer): Promise<number>;
  scanned(): Promise<number>;
  looks(): number;
  close(): Promise<void>;
}

/** A network whose pace is known, with sockets, followed by a clock of the test's own. */
async function following(
  wsUrls: readonly string[],
  jobsOf: (deps: Deps) => JobHolder = holdEverything,
): Promise<Following> {
  const proxy = await startFaultProxy(anvil.url, () => "pass");
  const rpcUrls = wsUrls.map((_, i) => `${proxy.url}/${i || ""}`);
  const world = await startWorld({ anvil, rpcUrls, env: { CPG_WORKER: "false" } });
  const change = { pollIntervalMs: POLL_MS, wsUrls };
  await setNetwork(world.deps, { code: "ETH", change, actor: ACTOR });
  const clock = { ms: Date.now() };
  const time = { nowMs: () => clock.ms };
  const chains = createChains();
  const catalog = createCatalogSource(world.deps.db, time);
  const own = { ...world.deps, chains, catalog, clock: time };
  const followers = createFollowers(own, createGatewayMetrics(), jobsOf(own));
  const { signal } = new AbortController();
  const tick = async (aheadMs = 0) => {
    clock.ms += aheadMs;
    await followers.run(signal);
    await followers.idle();
  };
  const until = async (isSo: () => boolean | Promise<boolean>, what: string) => {
    const found = await lookUntil(async () => await isSo(), { isSo: Boolean, waitMs: 10_000 });
    assert.ok(found, what);
  };
  const scanned = async () => (await cursorOf(world.deps)).scanHeight;
  const tip = async () => Number(await anvil.rpc("eth_blockNumber"));
  await tick();
  const { timestamp } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  for (let block = 1; block <= 21; block++) {
    const atS = Number(timestamp) + block * BLOCK_MS / 1000;
    await anvil.rpc("evm_setNextBlockTimestamp", [atS]);
    await anvil.mine(1);
  }
  await tick(POLL_MS);
  assert.equal(await scanned(), await tip());
  return {
    world,
    proxy,
    tick,
    until,
    scanned,
    pushBlock: async (server) => {
      clock.ms += BLOCK_MS / 4;
      await anvil.mine(1);
      const { number, hash } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
      server.push({ number, hash });
      return Number(number);
    },
    looks: () =>
      proxy.bodies.filter((calls) =>
        calls.some(({ params }) => Array.isArray(params) && params[0] === "latest")
      ).length,
    close: () => followers.close(),
    [Symbol.asyncDispose]: async () => {
      await followers.close();
      await followers.idle();
      await world[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Until its socket has pushed the newest block. */
async function live(one: Following, server: HeadServer): Promise<void> {
  await one.until(() => server.open.size === 1, "It is open");
  const height = await one.pushBlock(server);
  await one.until(async () => await one.scanned() === height, "A pushed block is read at once");
  await one.tick();
}

Deno.test("a pushed head is read at once, whatever the poll interval", async () => {
  await using server = startHeadServer();
  await using one = await following([server.url]);
  await live(one, server);
  for (let block = 0; block < 3; block++) {
    await one.tick(BLOCK_MS);
    const height = await one.pushBlock(server);
    await one.until(async () => await one.scanned() === height, "It is read");
  }
});

Deno.test("a real node's socket wakes the gateway", async () => {
  await using one = await following([anvil.url.replace("http:", "ws:")]);
  const before = await one.scanned();
  await one.until(async () => {
    await one.tick(BLOCK_MS / 2);
    await anvil.mine(1);
    return await one.scanned() > before;
  }, "Its blocks are read");
  await one.until(async () => {
    await one.tick(BLOCK_MS);
    await anvil.mine(1);
    const [endpoint] = await endpointsOf(one.world.deps.db, "ETH");
    return endpoint?.isPushing === true;
  }, "It is noted");
});

Deno.test("while heads are pushed, somebody asks by himself only every third expected block", async () => {
  await using server = startHeadServer();
  await using one = await following([server.url]);
  const { world: { deps } } = one;
  await setNetwork(deps, { code: "ETH", change: { pollIntervalMs: 500 }, actor: ACTOR });
  await live(one, server);
  await one.tick(500);
  await one.tick(500);
  const before = one.looks();
  await one.pushBlock(server);
  await one.until(() => one.looks() === before + 1, "It is looked at");
  await one.tick();
  await one.tick(1_900);
  assert.equal(one.looks(), before + 1, "Not after an interval, nor after one expected block");
  await anvil.mine(1);
  await one.tick(101);
  assert.equal(one.looks(), before + 2, "Silent for two expected blocks: an interval has passed");
  await one.until(() => server.open.size === 0, "It is closed");
  await one.tick(500);
  assert.equal(one.looks(), before + 3, "And then after each");
});

Deno.test("a socket that closes costs one ordinary poll interval at most, and is opened again", async () => {
  await using server = startHeadServer();
  await using one = await following([server.url]);
  await setNetwork(one.world.deps, { code: "ETH", change: { pollIntervalMs: 500 }, actor: ACTOR });
  await live(one, server);
  for (const socket of server.open) socket.close();
  await one.until(() => server.open.size === 0, "It is closed");
  await anvil.mine(1);
  const tip = Number(await anvil.rpc("eth_blockNumber"));
  await one.until(async () => {
    await one.tick(500);
    return await one.scanned() === tip;
  }, "Asked as usual");
  await one.tick(1_000);
  await one.until(() => server.open.size === 1, "It is opened again");
});

Deno.test("a head that no node has yet is asked for as usual, and one of nowhere costs nothing", async () => {
  await using server = startHeadServer();
  await using one = await following([server.url]);
  await setNetwork(one.world.deps, { code: "ETH", change: { pollIntervalMs: 500 }, actor: ACTOR });
  await live(one, server);
  const tip = Number(await anvil.rpc("eth_blockNumber"));
  await one.tick(500);
  const before = one.looks();
  await one.tick(BLOCK_MS / 4);
  server.push(headOf(tip + 1_000_000));
  await one.until(() => one.looks() === before + 1, "Somebody looks");
  await one.tick();
  for (let n = 2; n < 5; n++) {
    await one.tick(500);
    assert.equal(one.looks(), before + n, "At each interval");
  }
  assert.equal(await one.scanned(), tip);
});

Deno.test("a flood of heads makes the gateway ask four times an interval at most", async () => {
  await using server = startHeadServer();
  await using one = await following([server.url]);
  await live(one, server);
  const before = one.looks();
  for (let n = 0; n < 100; n++) {
    if (n % 40 === 0) await one.tick(1_001);
    server.push(headOf(1_000_000 + n));
  }
  await one.until(() => server.open.size === 1, "It stays open");
  await one.tick();
  assert.ok(one.looks() - before <= 1, `${one.looks() - before} looks in three seconds`);
});

Deno.test("while another instance follows, sockets stay open and wake nobody", async () => {
  await using server = startHeadServer();
  let isMine = true;
  let asked = 0;
  await using one = await following([server.url], (deps) => ({
    hold: () => (asked++, Promise.resolve(isMine ? deps : undefined)),
  }));
  await live(one, server);
  isMine = false;
  const before = asked;
  await one.pushBlock(server);
  await one.until(() => asked > before, "It finds that it isn't its turn");
  await one.tick();
  for (let n = 0; n < 5; n++) {
    await one.pushBlock(server);
    await one.tick(BLOCK_MS / 4);
  }
  assert.equal(asked, before + 1);
  assert.equal(server.open.size, 1);
});

Deno.test("sockets that were taken away or changed are closed, and none is opened after the end", async () => {
  await using server = startHeadServer();
  await using other = startHeadServer();
  await using one = await following([server.url]);
  await live(one, server);
  const { world: { deps } } = one;
  await setNetwork(deps, { code: "ETH", change: { wsUrls: [other.url] }, actor: ACTOR });
  await one.tick(1_000);
  await one.until(() => server.open.size === 0 && other.open.size === 1, "The new one is open");
  await setNetwork(deps, { code: "ETH", change: { wsUrls: null }, actor: ACTOR });
  await one.tick(1_000);
  await one.until(() => other.open.size === 0, "It is closed");
  await setNetwork(deps, { code: "ETH", change: { wsUrls: [server.url] }, actor: ACTOR });
  await one.close();
  await one.tick(1_000);
  await one.tick(POLL_MS);
  assert.equal(server.opened, 1);
});

Deno.test("a socket that somebody wrote into the database is not opened", async () => {
  await using server = startHeadServer();
  await using one = await following([""]);
  await one.world.deps.db.execute([
    { sql: `UPDATE networks SET ws_urls = '["${server.url}"]'` },
    { sql: "UPDATE write_clock SET config_version = config_version + 1" },
  ]);
  await one.tick(2_000);
  await one.tick(POLL_MS);
  assert.equal(server.opened, 0);
});
