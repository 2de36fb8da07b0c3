import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { createLog } from "../../../src/base/log.ts";
import { lagOf } from "../../../src/networks/rules/network_health.ts";
import { NetworkCursors } from "../../../src/following/table.ts";
import { alerts } from "../../support/alerts.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { createFollowers } from "../../../src/following/workers/follow_chains.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { cursorOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
});
Deno.test.afterAll(() => anvil.stop());

const WITHOUT_WORKER = { CPG_WORKER: "false" };

/** The gateway's own rounds, by a clock of the test's own. */
function follow({ deps }: World, change: Partial<World["deps"]> = {}) {
  const clock = { ms: Date.now() };
  const reported: { level: string; message: string }[] = [];
  const log = createLog({
    level: "info",
    clock: { nowMs: () => clock.ms },
    write: (line) => void reported.push(JSON.parse(line())),
  });
  const own = { ...deps, ...change, log, clock: { nowMs: () => clock.ms } };
  const followers = createFollowers(own, createGatewayMetrics());
  const { signal } = new AbortController();
  return {
    reported,
    round: async (aheadMs: number) => {
      clock.ms += aheadMs;
      await followers.run(signal);
      await followers.idle();
    },
  };
}

async function tipOf(node: Anvil): Promise<number> {
  return Number(await node.rpc("eth_blockNumber"));
}

Deno.test("a clock set back by an hour stops no network from being followed", async () => {
  await using world = await startWorld({ anvil, env: WITHOUT_WORKER });
  const { round } = follow(world);
  await round(0);
  await anvil.mine(1);
  await round(-3_600_000);
  assert.equal((await cursorOf(world.deps)).scanHeight, await tipOf(anvil));
});

Deno.test("a network that can't be followed is a warning, after a minute an error, until it recovers", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: WITHOUT_WORKER });
  const { round, reported } = follow(world);
  await round(0);
  const lines = () =>
    reported.splice(0).filter(({ message }) => message.startsWith("network is"))
      .map(({ level, message }) => `${level}: ${message}`);
  assert.deepEqual(lines(), []);
  for (let second = 0; second < 180; second += 5) {
    const status = 500 + second;
    proxy.onCall = () => ({ status: status % 2 ? 500 : 502, body: "" });
    await round(5_000);
  }
  const failed = "error: network is not followed";
  assert.deepEqual(lines(), ["warn: network is not followed", failed, failed]);
  proxy.onCall = () => "pass";
  await round(20_000);
  assert.deepEqual(lines(), ["info: network is followed again"]);
  await round(5_000);
  assert.deepEqual(lines(), []);
});

Deno.test("a network silent for a minute has one alert, which closes itself, even over a restart", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: WITHOUT_WORKER });
  const first = follow(world);
  await first.round(0);
  proxy.onCall = () => ({ status: 500, body: "" });
  const silent = async () =>
    (await alerts(world.deps.db, { isOpen: false, limit: 10 }))
      .filter(({ kind }) => kind === "network_silent");
  for (let second = 0; second <= 50; second += 10) await first.round(10_000);
  assert.deepEqual(await silent(), []);
  for (let second = 0; second < 200; second += 10) await first.round(10_000);
  const [alert, ...others] = await silent();
  assert.deepEqual(others, []);
  assert.deepEqual([alert?.subject, alert?.open], ["network:ETH", 1]);
  assert.match(alert!.message, /^ETH has not been followed for a minute or more: .*500/);
  proxy.onCall = () => "pass";
  await follow(world).round(0);
  assert.equal((await silent())[0]!.open, null);
});

Deno.test("a silent node doesn't look like no lag", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: WITHOUT_WORKER });
  const { round } = follow(world);
  await round(0);
  const { deps } = world;
  const cursor = await cursorOf(deps);
  const asked = (aheadMs: number) => lagOf(cursor, cursor.updatedAtMs + aheadMs);
  assert.deepEqual([asked(0), asked(30_000), asked(30_001)], [0, 0, null]);
  const aged = { ...cursor, updatedAtMs: cursor.updatedAtMs - 3_600_000 };
  await deps.db.write({
    reads: [read(NetworkCursors, ["ETH"])],
    decide: (view) => view.update(NetworkCursors, view.find(NetworkCursors, ["ETH"])!, aged),
  });
  const lines = (await (await fetch(`${world.url}/metrics`)).text()).split("\n");
  assert.ok(lines.includes(`cpg_network_lag_blocks{network="ETH"} NaN`));
  const silentS = lines.find((line) => line.startsWith("cpg_network_seconds_since_answer{"));
  assert.ok(Number(silentS!.split(" ")[1]) >= 3_600);
  const ready = await fetch(`${world.url}/readyz`);
  const { networks: [network] } = await ready.json();
  assert.deepEqual([ready.status, network.status, network.lag_blocks], [200, "silent", null]);
});

Deno.test("a failing step of the round stops none of the others, and is logged", async () => {
  await using world = await startWorld({ anvil, env: WITHOUT_WORKER });
  const { db } = world.deps;
  const asked: string[] = [];
  const { round, reported } = follow(world, {
    db: {
      ...db,
      rows: async (table, tail, args) => {
        if (tail.includes("direction = 'deposit' AND block_hash IS NULL")) {
          throw new Error("the look at orphans failed");
        }
        asked.push(table.name);
        return await db.rows(table, tail, args);
      },
      query: async (sql, args) => {
        asked.push(...sql.match(/(?<=FROM )[a-z_]+/g) ?? []);
        return await db.query(sql, args);
      },
    },
  });
  await anvil.mine(1);
  await round(0);
  for (const table of ["signed_transactions", "signed_payments", "withdrawals", "sweeps"]) {
    assert.ok(asked.includes(table), `${table} is not among ${asked}`);
  }
  assert.match(JSON.stringify(reported), /the look at orphans failed/);
});

Deno.test("a connection that only carries small answers gets shorter steps, which grow again", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: WITHOUT_WORKER });
  const { round } = follow(world);
  await round(0);
  const from = (await cursorOf(world.deps)).scanHeight;
  await anvil.mine(300);
  const tip = await tipOf(anvil);
  proxy.onCall = (method, [tag, isFull]) =>
    method === "eth_getBlockByNumber" && isFull === true && Number(tag) > from + 20 &&
      Number(tag) < tip
      ? { status: 500, body: "" }
      : "pass";
  for (let i = 0; i < 4; i++) await round(1_000);
  assert.ok((await cursorOf(world.deps)).scanHeight > from, "100, 50, 25, 12");
  proxy.onCall = () => "pass";
  await round(1_000);
  assert.equal((await cursorOf(world.deps)).scanHeight, tip);
});
