import assert from "node:assert/strict";
import { evmFamily } from "../../src/chains/evm/mod.ts";
import { tronFamily } from "../../src/chains/tron/mod.ts";
import { costsOf, type PaidFor } from "../../src/costs/rules/hour.ts";
import { otherMode } from "../../src/costs/rules/other_mode.ts";
import type { Way } from "../../src/costs/rules/ways.ts";

const EVM = { usual: evmFamily.usualSweeps, isNative: false };
const TRON = { usual: tronFamily.usualSweeps, isNative: false };

/** At a price of one. */
function cost(way: Way, sweeps: number, feeRaw: bigint, firstSweeps = 0) {
  const gas = Number(feeRaw);
  return { currency: "USDT", way, sweeps, firstSweeps, deposits: sweeps, feeRaw, gas };
}

const PAYMENT: PaidFor = {
  size: 1,
  ...{ signedId: 1, feeRaw: 0n, purpose: "sweep", currency: "USDT", deposits: 1 },
  ...{ isSuccessful: true, isShared: false, isFirst: false, isLent: false },
  isCoin: false,
};

Deno.test("the other mode is what fewer sweeps did, by what at least five of them cost", () => {
  const mostly = otherMode([cost("single", 20, 20_000n), cost("batch", 5, 1_000n)], EVM);
  assert.deepEqual(mostly, { way: "batch", feeRaw: 5_000n, basis: "measured" });
  const turned = otherMode([cost("single", 5, 5_000n), cost("batch", 20, 4_000n)], EVM);
  assert.deepEqual(turned, { way: "single", feeRaw: 25_000n, basis: "measured" });
});

Deno.test("with fewer than five, usual figures are laid over what was paid, and an address's first sweep", () => {
  const single = [cost("single", 10, 534_000n, 4), cost("batch", 4, 1n)];
  // One transaction, four first sweeps, six more, and the four as they were.
  const feeRaw = 28_200n + 4n * 30_300n + 6n * 12_300n + 1n;
  assert.deepEqual(otherMode(single, EVM), { way: "batch", feeRaw, basis: "documented" });
  const coins = otherMode([cost("single", 2, 42_000n, 1)], { ...EVM, isNative: true });
  assert.equal(coins!.feeRaw, 28_200n + 28_700n + 11_500n);
  const lent = otherMode([cost("lent", 3, 1_200_000n)], TRON);
  assert.deepEqual(lent, { way: "single", feeRaw: 20_400_000n, basis: "documented" });
});

Deno.test("without sweeps, and for TRX, which takes no energy, there is no other mode", () => {
  assert.equal(otherMode([], EVM), undefined);
  assert.equal(otherMode([cost("single", 0, 21_000n)], EVM), undefined);
  assert.equal(otherMode([cost("single", 9, 9n)], { ...TRON, isNative: true }), undefined);
});

Deno.test("a fee that can't be divided equally is divided to the last unit all the same", () => {
  const batch = { ...PAYMENT, feeRaw: 100n, isShared: true };
  const costs = costsOf(
    [batch, batch, { ...batch, currency: "USDC", isSuccessful: false }],
    evmFamily.usualSweeps,
  );
  assert.deepEqual(
    costs.map(({ currency, way, sweeps, feeRaw }) => [currency, way, sweeps, feeRaw]),
    [["USDT", "batch", 2, 67n], ["USDC", "batch", 0, 33n]],
  );
});

Deno.test("gas for a hot wallet is no cost of sweeps, and what was for no sweep has no currency", () => {
  const { usual } = EVM;
  const none = { ...PAYMENT, currency: null, deposits: 0, feeRaw: 7n };
  assert.deepEqual(costsOf([{ ...none, purpose: "gas_topup" }], usual), []);
  for (const purpose of [null, "void"] as const) {
    const [only] = costsOf([{ ...none, purpose }], usual);
    assert.deepEqual([only!.currency, only!.sweeps, only!.feeRaw], ["", 0, 7n]);
  }
});

Deno.test("what one by one would have cost goes by how many really shared each transaction", () => {
  const { usual } = EVM;
  // What pairs of new addresses took on a chain, and each of them alone.
  const [pair, alone] = [85_024n, 50_772n];
  const pairs = [1, 2, 3, 4].flatMap((signedId) => {
    const one = { ...PAYMENT, signedId, feeRaw: 8n * pair, isShared: true, isFirst: true };
    return costsOf([one, one], usual);
  });
  const { way, feeRaw } = otherMode(pairs, EVM)!;
  assert.equal(way, "single");
  const share = Number(feeRaw) / Number(8n * 8n * alone);
  assert.ok(Math.abs(share - 1) < 0.06, `${share}`);
});

Deno.test("batches are estimated by how many could have shared: those of an hour", () => {
  const hour = cost("single", 3, 3n * 53_400n);
  const together = otherMode([cost("single", 6, 6n * 53_400n)], EVM)!;
  assert.equal(together.feeRaw, 28_200n + 6n * 12_300n);
  assert.equal(otherMode([hour, hour], EVM)!.feeRaw, 2n * 28_200n + 6n * 12_300n);
});

Deno.test("an hour that was added up before its gas was noted estimates nothing", () => {
  assert.equal(otherMode([{ ...cost("single", 3, 9n), gas: 0 }], EVM), undefined);
});
