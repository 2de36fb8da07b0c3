import assert from "node:assert/strict";
import { STAKE_MIN_RAW } from "../../src/domain/energy.ts";
import { ActionRefused } from "../../src/domain/refusals/refuse.ts";
import {
  stakeQuestion,
  stakeRaw,
  sweepsPerDay,
  unstakeQuestion,
  unstakeRaw,
  whenBack,
} from "../../src/energy/rules/stakes.ts";
import { refusalText } from "../../src/operations/words/refusals.ts";

const TRX = STAKE_MIN_RAW;
const COIN = { symbol: "TRX", decimals: 6 };
const ADDRESS = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const NOW_MS = Date.UTC(2026, 10, 29, 16, 30);
const DAY_MS = 86_400_000;
const RATE = { energy: 180_000_000_000n, stakedRaw: 19_000_000_000n * TRX };

function refusal(work: () => unknown): string {
  try {
    return String(work());
  } catch (error) {
    assert.ok(error instanceof ActionRefused);
    return refusalText(error);
  }
}

Deno.test("a stake pays for whole sweeps, without what is lent to others than deposit addresses", () => {
  const rows: readonly [
    stakedTrx: bigint,
    lentTrx: bigint,
    lentToOursTrx: bigint,
    sweeps: number,
  ][] = [
    [0n, 0n, 0n, 0],
    [6_861n, 0n, 0n, 0],
    [6_862n, 0n, 0n, 1],
    [20_000n, 0n, 0n, 2],
    [20_000n, 7_000n, 7_000n, 2],
    [20_000n, 7_000n, 0n, 1],
    [20_000n, 20_000n, 0n, 0],
    [1_000_000n, 0n, 0n, 145],
  ];
  for (const [stakedTrx, lentTrx, lentToOursTrx, sweeps] of rows) {
    const stake = { stakedRaw: stakedTrx * TRX, lentRaw: lentTrx * TRX, rate: RATE };
    const other = { lentToOursRaw: lentToOursTrx * TRX, energyPerSweep: 65_000n };
    assert.equal(sweepsPerDay(stake, other), sweeps, `${stakedTrx} staked, ${lentTrx} lent`);
  }
});

Deno.test("an amount to stake is at least a coin, exact, and with its fee there", () => {
  const stake = (amount: string, balanceRaw = 10_000n * TRX) =>
    refusal(() => stakeRaw(amount, { coin: COIN, address: ADDRESS, balanceRaw, feeRaw: 254_000n }));
  assert.equal(stake("1"), "1000000");
  assert.equal(stake("9999.746"), "9999746000");
  assert.equal(
    stake("9999.746001"),
    `${ADDRESS} holds 10000 TRX, too little to stake 9999.746001 and pay a fee of up to 0.254`,
  );
  assert.equal(stake("1", TRX), stake("1", TRX), "the whole balance is too much");
  assert.match(stake("1", TRX), /holds 1 TRX, too little to stake 1/);
  const little = "is too little: the least that the chain takes is 1 TRX";
  assert.equal(stake("0"), `0 TRX ${little}`);
  assert.equal(stake("0.999999"), `0.999999 TRX ${little}`);
  assert.match(stake("1.0000001"), /too precise: the least is 0\.000001/);
});

Deno.test("an amount to unstake is not lent, and at most 32 are on their way back", () => {
  const waiting = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      amountRaw: TRX,
      collectableAtMs: NOW_MS + (i + 1) * DAY_MS,
    }));
  const unstake = (amount: string, { lentTrx = 0n, count = 0, over = 0 } = {}) =>
    refusal(() =>
      unstakeRaw(amount, {
        coin: COIN,
        nowMs: NOW_MS,
        stake: {
          stakedRaw: 10_000n * TRX,
          lentRaw: lentTrx * TRX,
          unstaking: [
            ...Array.from({ length: over }, () => ({ amountRaw: TRX, collectableAtMs: NOW_MS })),
            ...waiting(count),
          ],
        },
      })
    );
  assert.equal(unstake("10000"), "10000000000");
  assert.equal(unstake("3000", { lentTrx: 7_000n }), "3000000000");
  assert.equal(
    unstake("3000.000001", { lentTrx: 7_000n }),
    "3000.000001 TRX can't be unstaked: 10000 are staked for energy, and 7000 of them are lent now",
  );
  assert.match(unstake("0.5"), /too little/);
  assert.match(unstake("1.0000001"), /too precise/);
  assert.equal(unstake("1", { count: 31, over: 20 }), "1000000");
  assert.equal(
    unstake("1", { count: 32 }),
    "32 amounts are on their way back already, as many as the chain allows; " +
      "the next arrives 2026-11-30 16:30 UTC",
  );
});

Deno.test("the questions say what changes, and when the coins come back", () => {
  const sweeps = { before: 0, after: 1 };
  const asked = { symbol: "TRX", address: ADDRESS, days: 14, sweeps };
  assert.deepEqual(stakeQuestion({ ...asked, amount: "10000" }), {
    word: "stake",
    warning: `10000 TRX of the gas wallet ${ADDRESS} are staked for energy, which pays for ` +
      "1 sweep a day instead of 0. They can't be spent until they are unstaked, and come back " +
      "14 days after that.",
  });
  const back = { before: 3, after: 2 };
  const { word, warning } = unstakeQuestion({
    ...asked,
    amount: "7000.5",
    nowMs: NOW_MS,
    sweeps: back,
  });
  assert.equal(word, "unstake");
  assert.equal(
    warning,
    `7000.5 TRX of the gas wallet ${ADDRESS} give no energy any more, which then pays for ` +
      "2 sweeps a day instead of 3. They come back in 14 days, on 2026-12-13 16:30 UTC, and " +
      "can't be spent until then.",
  );
  assert.equal(whenBack(14, NOW_MS), "in 14 days, on 2026-12-13 16:30 UTC");
});
