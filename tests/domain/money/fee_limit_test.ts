import assert from "node:assert/strict";
import { familyOf } from "../../../src/chains/registry.ts";
import { FAMILY_NAMES } from "../../../src/domain/families.ts";
import { BIDS_MAX, refusalOfBid } from "../../../src/transfers/rules/bids.ts";
import {
  feeMaxFor,
  medianOf,
  type Paid,
  paidAfter,
  tipMaxFor,
} from "../../../src/domain/money/fee_limit.ts";
import { seededRandom } from "../random.ts";

const GWEI = 10n ** 9n;
const HOUR_MS = 3_600_000;

Deno.test("a configured limit holds for any gas, otherwise it is 25 times the recent price", () => {
  const limit = (maxRaw: bigint | null, paidRaw: bigint) => {
    return { maxRaw, paidRaw, undoubtedRaw: GWEI };
  };
  assert.equal(feeMaxFor(limit(5n, 100n * GWEI), 21_000n), 5n);
  assert.equal(feeMaxFor(limit(null, 3n * GWEI), 21_000n), 25n * 3n * GWEI * 21_000n);
  for (const paidRaw of [0n, 7n, GWEI]) {
    assert.equal(feeMaxFor(limit(null, paidRaw), 10n), 250n * GWEI, "A gwei is never doubted");
    assert.equal(tipMaxFor(limit(null, paidRaw)), 4n * GWEI);
  }
  assert.equal(tipMaxFor(limit(null, 30n * GWEI)), 120n * GWEI);
});

Deno.test("what is never doubted is small for each family: its coins have different decimals", () => {
  for (const name of FAMILY_NAMES) {
    const { rules, undoubtedPriceRaw, usualGas: { tokens } } = familyOf(name);
    const most = feeMaxFor({ maxRaw: null, paidRaw: 0n, undoubtedRaw: undoubtedPriceRaw }, tokens);
    // On TRON prices are voted for, and its networks have a limit of their own.
    const coinsMax = { evm: 1n, tron: 2_000n, bitcoin: 1n }[name];
    for (const { native } of rules) {
      assert.ok(most < coinsMax * 10n ** BigInt(native.decimals), `${name}: ${most}`);
    }
  }
});

Deno.test("the remembered price follows blocks, within twice or half of it in six hours", () => {
  const at = (raw: bigint, hours: number): Paid => ({ raw, atMs: hours * HOUR_MS });
  const after = (known: Paid | undefined, seen: Paid) =>
    paidAfter(known, { ...seen, undoubtedRaw: GWEI });
  assert.deepEqual(after(undefined, at(70n * GWEI, 1)), at(70n * GWEI, 1));
  const known = at(10n * GWEI, 0);
  assert.deepEqual(after(known, at(11n * GWEI, 6)), at(11n * GWEI, 6));
  assert.deepEqual(after(known, at(900n * GWEI, 6)), at(20n * GWEI, 6));
  assert.deepEqual(after(known, at(1n, 6)), at(5n * GWEI, 6));
  assert.deepEqual(after(known, at(900n * GWEI, 500)), at(20n * GWEI, 500), "After a silence");
  assert.deepEqual(after(known, at(900n * GWEI, 0)), at(10n * GWEI, 0), "Twice in a moment");
  assert.deepEqual(after(known, at(900n * GWEI, -3)).raw, 10n * GWEI, "A clock set back");
  assert.deepEqual(after(at(0n, 0), at(9n * GWEI, 6)), at(2n * GWEI, 6), "From nothing");
});

Deno.test("however often a liar speaks, the price at most doubles in six hours", () => {
  const random = seededRandom(20_261_122);
  for (let round = 0; round < 1_000; round++) {
    let known: Paid = { raw: BigInt(1 + random.below(1_000)) * GWEI, atMs: 0 };
    const first = known.raw;
    while (known.atMs < 24 * HOUR_MS) {
      const atMs = known.atMs + random.below(HOUR_MS);
      const raw = BigInt(random.below(2 ** 50)) * 10n ** 9n;
      known = paidAfter(known, { raw, atMs, undoubtedRaw: GWEI });
      const doubled = first * BigInt(Math.ceil(1_000 * 2 ** (atMs / (6 * HOUR_MS)))) / 1_000n;
      assert.ok(known.raw <= doubled + 1n, `${known.raw} of ${first} after ${atMs} ms`);
    }
  }
});

Deno.test("the median of an even number of prices is the lower one", () => {
  assert.equal(medianOf([]), undefined);
  assert.equal(medianOf([9n]), 9n);
  assert.equal(medianOf([9n, 1n]), 1n);
  assert.equal(medianOf([9n, 100n, 2n]), 9n);
});

Deno.test("a nonce's second bid may follow at once, the next ones after four looks, six in all", () => {
  const bid = (bids: number, nowMs: number) =>
    refusalOfBid({ bids, newestAtMs: 1_000, pollIntervalMs: 500, nowMs });
  assert.equal(bid(1, 1_000), undefined);
  for (let bids = 2; bids < BIDS_MAX; bids++) {
    assert.deepEqual(bid(bids, 1_000), { kind: "too_soon", inMs: 2_000 });
    assert.deepEqual(bid(bids, 2_999), { kind: "too_soon", inMs: 1 });
    assert.equal(bid(bids, 3_000), undefined);
  }
  for (const bids of [BIDS_MAX, BIDS_MAX + 1]) {
    assert.deepEqual(bid(bids, 10_000_000), { kind: "too_many", bids });
  }
});
