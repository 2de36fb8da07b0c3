import assert from "node:assert/strict";
import { checkCosts } from "../../src/app/diagnose/costs.ts";
import { evmFamily } from "../../src/chains/evm/mod.ts";
import { Collectors } from "../../src/collectors/table.ts";
import { CostHours } from "../../src/costs/table.ts";
import type { Way } from "../../src/costs/rules/ways.ts";
import { setNetwork } from "../../src/networks/set.ts";
import { makeNetwork, startGateway } from "../support/gateway.ts";

const clock = { nowMs: () => Date.parse("2026-03-20T12:00:00Z") };
const startsAtMs = Date.parse("2026-03-02T10:00:00Z");
const GAS = 53_400;
const PRICE_RAW = 10n ** 9n;

async function startScene(family: "evm" | "tron" = "evm") {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"], family });
  const swept = (way: Way, sweeps: number, firstSweeps = 0) =>
    deps.db.write({
      reads: [],
      decide: (view) => {
        const sums = { sweeps, firstSweeps, deposits: sweeps };
        const gas = sweeps * GAS;
        const feeRaw = `${BigInt(gas) * PRICE_RAW}`;
        const key = { network: "ETH", startsAtMs, currency: "USDT", way };
        view.insertKeyed(CostHours, { ...key, ...sums, feeRaw, gas });
      },
    });
  return { ...gateway, swept, [Symbol.asyncDispose]: () => gateway.stop() };
}

Deno.test("costs: doctor says when batches would have cost less than half, and what to do", async () => {
  await using scene = await startScene();
  const { deps: { db }, deps } = scene;
  assert.deepEqual(await checkCosts(db, clock), []);
  await scene.swept("single", 20);
  const [found, ...others] = await checkCosts(db, clock);
  assert.deepEqual([found, others], [{
    check: "sweeps on ETH",
    state: "warning",
    message: "20 sweeps have cost 0.001068 ETH this month; in batches, they would have cost " +
      "about 0.0002742 ETH",
    advice: '"network collector ETH --deploy on" is needed once, then ' +
      '"network set ETH --collect auto" takes what is cheaper',
  }, []]);
  await db.write({
    reads: [],
    decide: (view) => {
      const contract = { owner: "0xG", build: "b", nonce: 0, address: "0xC", codeHash: "h" };
      view.insertKeyed(Collectors, { network: "ETH", ...contract, createdAtMs: 1 });
    },
  });
  const there = await checkCosts(db, clock);
  assert.equal(there[0]!.advice, '"network set ETH --collect auto" takes what is cheaper');
  await setNetwork(deps, { code: "ETH", change: { collect: "auto" }, actor: "test" });
  assert.match((await checkCosts(db, clock))[0]!.advice!, /--delegate-native on/);
  assert.deepEqual(await checkCosts(db, { nowMs: () => Date.parse("2026-04-01T00:00:00Z") }), []);
});

Deno.test("costs: doctor advises against batches where each coin sweep has had one to itself", async () => {
  await using scene = await startScene();
  const { deps: { db } } = scene;
  const { usualSweeps: { shared, coins } } = evmFamily;
  const gas = shared + coins!.batch!.first;
  const one = { network: "ETH", currency: "ETH", way: "batch", firstSweeps: 1 } as const;
  await db.write({
    reads: [],
    decide: (view) => {
      for (let hour = 0; hour < 20; hour++) {
        const key = { ...one, startsAtMs: startsAtMs + hour * 3_600_000 };
        const feeRaw = `${BigInt(gas) * PRICE_RAW}`;
        view.insertKeyed(CostHours, { ...key, sweeps: 1, deposits: 1, feeRaw, gas });
      }
    },
  });
  const [found] = await checkCosts(db, clock);
  assert.equal(
    found!.message,
    "20 sweeps have cost 0.001138 ETH this month; one by one, they would have cost about " +
      "0.00042 ETH",
  );
  assert.match(found!.advice!, /--collect auto/);
});

Deno.test("costs: doctor is silent for few sweeps, first sweeps, batches that pay off, and stakes", async () => {
  for (const [sweeps, first] of [[19, 0], [200, 200]] as const) {
    await using scene = await startScene();
    await scene.swept("single", sweeps, first);
    assert.deepEqual(await checkCosts(scene.deps.db, clock), []);
  }
  await using together = await startScene();
  await together.swept("batch", 200);
  assert.deepEqual(await checkCosts(together.deps.db, clock), []);
  await using tron = await startScene("tron");
  await tron.swept("single", 200);
  assert.deepEqual(await checkCosts(tron.deps.db, clock), []);
});
