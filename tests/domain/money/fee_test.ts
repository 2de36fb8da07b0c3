import assert from "node:assert/strict";
import { Amount } from "../../../src/domain/money/amount.ts";
import { feeOf } from "../../../src/domain/money/fee.ts";
import { fractionOf, product, randomDecimal, sum, textOf } from "./fraction.ts";
import { seededRandom } from "../random.ts";

const ASSET = "ETH/USDT";

const feeText = (amount: string, feePercent: string, feeFlat: string) =>
  feeOf(Amount.parse(amount, ASSET), { feePercent, feeFlat }).toString();

const EXAMPLES: readonly (readonly [string, string, string, string])[] = [
  ["100", "0.5", "1", "1.5"],
  ["100", "0", "0", "0"],
  ["0.000001", "0.5", "0", "0.000000005"],
  ["1", "100", "0", "1"],
  ["1", "33.3333333", "0.1", "0.433333333"],
  ["123456789.123456789123456789", "0.25", "0.000000000000000001", "308641.9728086419728086429725"],
  ["3", "0", "2.50", "2.5"],
];

for (const [amount, percent, flat, fee] of EXAMPLES) {
  Deno.test(`spec 4.6: the fee on ${amount} at ${percent} percent and ${flat} is ${fee}`, () => {
    assert.equal(feeText(amount, percent, flat), fee);
  });
}

Deno.test("spec 4.6: the fee is exact by the formula, with more digits than any chain has", () => {
  for (const seed of [11, 12, 13]) {
    const random = seededRandom(seed);
    for (let i = 0; i < 3000; i++) {
      const [amount, percent, flat] = [
        randomDecimal(random),
        randomDecimal(random, 40),
        randomDecimal(random),
      ];
      const share = product(fractionOf(amount), product(fractionOf(percent), fractionOf("0.01")));
      const expected = textOf(sum(share, fractionOf(flat)));
      assert.equal(
        feeText(amount, percent, flat),
        expected,
        `seed ${seed}, case ${i}: ${amount} at ${percent} and ${flat}`,
      );
    }
  }
});
