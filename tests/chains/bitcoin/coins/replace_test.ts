import assert from "node:assert/strict";
import type { WalletCoin } from "../../../../src/chains/bitcoin/coins/choose.ts";
import { gatherCoins, shareFee } from "../../../../src/chains/bitcoin/coins/gather.ts";
import { planReplacement, replacementFee } from "../../../../src/chains/bitcoin/coins/replace.ts";
import { feeAt, sumOf, virtualSize } from "../../../../src/chains/bitcoin/coins/size.ts";
import { seededRandom } from "../../../domain/random.ts";

const TO = `0014${"33".repeat(20)}`;
const OWN = `0014${"99".repeat(20)}`;
const CHANGE = { script: OWN, dustRaw: 294n, coinsWanted: 1, partMinRaw: 1_000_000n };

function coin(valueRaw: bigint, vout = 0, isConfirmed = true): WalletCoin {
  return { txid: "ab".repeat(32), vout, valueRaw, isConfirmed };
}

Deno.test("a replacement pays for what it throws out, for its own way, and more for its size", () => {
  const wanted = (feeRaw: bigint, descendantFeesRaw: bigint, rateRaw: bigint) => ({
    ...{ replaced: { feeRaw, vsize: 141, descendantFeesRaw }, rateRaw, incrementRaw: 1_000n },
  });
  assert.equal(replacementFee(wanted(141n, 0n, 1_000n), 141), 282n);
  assert.equal(replacementFee(wanted(141n, 0n, 10_000n), 141), 1_410n);
  assert.equal(replacementFee(wanted(141n, 5_000n, 10_000n), 141), 5_282n);
  // Smaller by an output: its fee may be less than what is wanted, its rate may not.
  assert.equal(replacementFee(wanted(14_100n, 0n, 1_000n), 110), 14_210n);
  // Larger by inputs: at the old rate or below nodes take nothing.
  assert.ok(replacementFee(wanted(14_100n, 0n, 1_000n), 400) > feeAt(100_000n, 400));
});

Deno.test("a bump keeps inputs and payments and takes its fee from the change", () => {
  const inputs = [coin(100_000n)];
  const payments = [{ script: TO, valueRaw: 50_000n }];
  const replaced = { feeRaw: 141n, vsize: 141, descendantFeesRaw: 0n };
  const plan = planReplacement({
    ...{ replaced, inputs, payments, change: CHANGE, others: [], rateRaw: 5_000n },
    incrementRaw: 1_000n,
  });
  assert.ok(plan.kind === "planned");
  assert.deepEqual([plan.inputs, plan.payments, plan.feeRaw], [inputs, payments, 705n]);
  assert.deepEqual(plan.change, [{ script: OWN, valueRaw: 49_295n }]);
});

Deno.test("a bump that its change can't pay for takes a confirmed coin, never another", () => {
  const inputs = [coin(50_300n)];
  const payments = [{ script: TO, valueRaw: 50_000n }];
  const wanted = {
    ...{ inputs, payments, change: CHANGE, rateRaw: 5_000n, incrementRaw: 1_000n },
    replaced: { feeRaw: 300n, vsize: 110, descendantFeesRaw: 0n },
  };
  const others = [coin(90_000n, 1, false), coin(50_300n), coin(20_000n, 2), coin(10_000n, 3)];
  const plan = planReplacement({ ...wanted, others });
  assert.ok(plan.kind === "planned");
  assert.deepEqual(plan.inputs, [inputs[0], coin(20_000n, 2)]);
  assert.deepEqual(planReplacement({ ...wanted, others: [coin(90_000n, 1, false)] }), {
    ...{ kind: "short", missingRaw: 250n },
  });
});

Deno.test("a revocation of the only payment leaves one output, which goes back", () => {
  const replaced = { feeRaw: 141n, vsize: 141, descendantFeesRaw: 0n };
  const wanted = { replaced, payments: [], change: CHANGE, rateRaw: 1_000n, incrementRaw: 1_000n };
  const plan = planReplacement({ ...wanted, inputs: [coin(60_000n)], others: [] });
  assert.ok(plan.kind === "planned");
  assert.deepEqual([plan.vsize, plan.feeRaw], [110, 251n]);
  assert.deepEqual(plan.change, [{ script: OWN, valueRaw: 59_749n }]);
  const small = planReplacement({ ...wanted, inputs: [coin(500n)], others: [] });
  assert.deepEqual(small, { kind: "short", missingRaw: 45n });
});

Deno.test("20,000 random replacements obey BIP-125, and are refused only for want of coins", () => {
  const random = seededRandom(125);
  let planned = 0;
  for (let round = 0; round < 20_000; round++) {
    const inputs = Array.from(
      { length: 1 + random.below(3) },
      (_, i) => coin(BigInt(1_000 + random.below(1_000_000)), i),
    );
    const others = Array.from(
      { length: random.below(4) },
      (_, i) => coin(BigInt(1 + random.below(100_000)), 10 + i, random.chance(0.6)),
    );
    const payments = Array.from(
      { length: random.below(3) },
      () => ({ script: TO, valueRaw: BigInt(1 + random.below(300_000)) }),
    );
    const replaced = {
      feeRaw: BigInt(random.below(20_000)),
      vsize: 110 + random.below(300),
      descendantFeesRaw: BigInt(random.pick([0, random.below(50_000)])),
    };
    const rateRaw = BigInt(100 + random.below(100_000));
    const incrementRaw = random.pick([100n, 1_000n]);
    const plan = planReplacement({
      ...{ replaced, inputs, payments, change: CHANGE, others, rateRaw, incrementRaw },
    });
    if (plan.kind !== "planned") {
      const all = [...inputs, ...others.filter(({ isConfirmed }) => isConfirmed)];
      const outputs = payments.length > 0 ? payments : [CHANGE];
      const vsize = virtualSize({ inputs: all.length, outputs });
      const fee = replacementFee({ replaced, rateRaw, incrementRaw }, vsize);
      const least = payments.length > 0 ? 0n : CHANGE.dustRaw;
      assert.ok(sumOf(all) < sumOf(payments) + fee + least);
      continue;
    }
    planned++;
    const outputs = [...plan.payments, ...plan.change];
    assert.equal(sumOf(plan.inputs), sumOf(outputs) + plan.feeRaw);
    assert.deepEqual(plan.inputs.slice(0, inputs.length), inputs);
    assert.ok(plan.inputs.slice(inputs.length).every(({ isConfirmed }) => isConfirmed));
    assert.deepEqual(plan.payments, payments);
    assert.ok(outputs.length > 0 && plan.change.length <= 1);
    const size = virtualSize({ inputs: plan.inputs.length, outputs });
    assert.equal(plan.vsize, size);
    const thrownOut = replaced.feeRaw + replaced.descendantFeesRaw;
    assert.ok(plan.feeRaw >= thrownOut + feeAt(incrementRaw, size), "rules 3 and 4");
    assert.ok(plan.feeRaw * BigInt(replaced.vsize) > replaced.feeRaw * BigInt(size), "its rate");
    assert.ok(plan.feeRaw >= feeAt(rateRaw, size));
  }
  assert.ok(planned > 8_000, `${planned}`);
});

Deno.test("what many addresses give arrives as one output, and each bears the fee by its size", () => {
  const sources = [[30_000n], [40_000n, 50_000n], [60_000n]].map((values, source) => ({
    coins: values.map((value, i) => coin(value, 10 * source + i)),
  }));
  const gathered = gatherCoins(sources, { script: TO, rateRaw: 10_000n });
  assert.equal(gathered.vsize, virtualSize({ inputs: 4, outputs: [{ script: TO }] }));
  assert.equal(gathered.feeRaw, 3_140n);
  assert.deepEqual(gathered.sharesRaw, [785n, 1_570n, 785n]);
  assert.equal(gathered.valueRaw, 180_000n - 3_140n);
  const little = gatherCoins([{ coins: [coin(400n)] }], { script: TO, rateRaw: 10_000n });
  assert.equal(little.valueRaw, 400n - 1_100n);
});

Deno.test("10,000 random fees are shared to the last base unit, the same for the same size", () => {
  const random = seededRandom(7);
  for (let round = 0; round < 10_000; round++) {
    const sources = Array.from({ length: 1 + random.below(30) }, () => ({
      coins: Array.from({ length: 1 + random.below(4) }, (_, i) => coin(1n, i)),
    }));
    const feeRaw = BigInt(random.below(10 ** (1 + random.below(8))));
    const shares = shareFee(feeRaw, sources);
    assert.equal(shares.reduce((sum, share) => sum + share, 0n), feeRaw);
    const inputs = BigInt(sources.flatMap(({ coins }) => coins).length);
    shares.forEach((share, i) => {
      const exact = feeRaw * BigInt(sources[i]!.coins.length);
      assert.ok((share - 1n) * inputs < exact && exact < (share + 1n) * inputs);
    });
  }
});
