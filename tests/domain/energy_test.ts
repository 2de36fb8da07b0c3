import assert from "node:assert/strict";
import { energyOf, type EnergyRate, STAKE_MIN_RAW, stakeFor } from "../../src/domain/energy.ts";
import { limitOf } from "../../src/sandbox/tron_node/resources.ts";
import { seededRandom } from "./random.ts";

const SEED = 20_261_129;
const MAINNET = { energy: 180_000_000_000n, stakedRaw: 19_000_000_000n * STAKE_MIN_RAW };

Deno.test("a stake gives its part of all energy, and nothing where nothing is staked", () => {
  assert.equal(energyOf(10_000n * STAKE_MIN_RAW, MAINNET), 94_736n);
  assert.equal(energyOf(0n, MAINNET), 0n);
  assert.equal(energyOf(STAKE_MIN_RAW, { energy: 0n, stakedRaw: 0n }), 0n);
});

Deno.test("the stake for an amount of energy is rounded up to whole coins, at least one", () => {
  assert.equal(stakeFor(64_285n, MAINNET), 6_786n * STAKE_MIN_RAW);
  assert.equal(stakeFor(1n, MAINNET), STAKE_MIN_RAW);
  assert.equal(stakeFor(94_736n, MAINNET), 10_000n * STAKE_MIN_RAW);
  assert.equal(stakeFor(1n, { energy: 0n, stakedRaw: STAKE_MIN_RAW }), null);
  assert.equal(stakeFor(1n, { energy: 1n, stakedRaw: 0n }), null);
});

Deno.test(`the stake for energy gives it as the main net counts, beside any other stake (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (let i = 0; i < 20_000; i++) {
    const rate: EnergyRate = {
      energy: BigInt(1 + random.below(2 ** 38)),
      stakedRaw: BigInt(1 + random.below(2 ** 36)) * STAKE_MIN_RAW,
    };
    const total = { limit: rate.energy, weight: rate.stakedRaw / STAKE_MIN_RAW };
    const energy = BigInt(1 + random.below(10_000_000));
    const stakeRaw = stakeFor(energy, rate)!;
    const besides = BigInt(random.below(2 ** 40));
    const before = limitOf(besides, total);
    assert.ok(limitOf(besides + stakeRaw, total) >= before + energy, `${i}: ${energy}`);
    const less = stakeRaw - STAKE_MIN_RAW;
    if (less > 0n) assert.ok(energyOf(less - 1n, rate) < energy, `${i}: a coin less is too little`);
  }
});
