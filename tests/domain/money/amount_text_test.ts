import assert from "node:assert/strict";
import { plainAmount, plainAmountOfNumber } from "../../../src/domain/money/amount_text.ts";
import { comparison, fractionOf, textOf } from "./fraction.ts";
import { seededRandom } from "../random.ts";

const NINES = "9".repeat(78);
const DIGITS_30 = "123456789012345678901234567890";

const NUMBERS: readonly (readonly [source: string, plain: string | undefined])[] = [
  ["1e-7", "0.0000001"],
  ["1E-7", "0.0000001"],
  ["0.0000001", "0.0000001"],
  ["1E+5", "100000"],
  ["1e5", "100000"],
  ["1.5e1", "15"],
  ["1.5e0", "1.5"],
  ["12.50", "12.5"],
  ["0.1", "0.1"],
  ["100", "100"],
  ["0", "0"],
  ["0.0", "0"],
  ["0e9", "0"],
  ["0E-9", "0"],
  ["0e999999999999", "0"],
  [DIGITS_30, DIGITS_30],
  [`0.${DIGITS_30}`, `0.${DIGITS_30.replace(/0+$/, "")}`],
  ["9007199254740993", "9007199254740993"],
  ["1.000000000000000001", "1.000000000000000001"],
  [NINES, NINES],
  [`${NINES}9`, undefined],
  ["1e77", `1${"0".repeat(77)}`],
  ["1e78", undefined],
  ["1e400", undefined],
  ["1e-400", undefined],
  [`1e${"9".repeat(400)}`, undefined],
  [`1e-${"9".repeat(400)}`, undefined],
  ["1e100000", undefined],
  ["1e-100000", undefined],
  ["1e-76", `0.${"0".repeat(75)}1`],
  ["1e-77", `0.${"0".repeat(76)}1`],
  ["1e-78", undefined],
  ["12e-78", undefined],
  ["120e-78", `0.${"0".repeat(75)}12`],
  [`1${"0".repeat(60_000)}e-60000`, "1"],
  [`0.${"0".repeat(60_000)}1e60000`, "0.1"],
  [`${"0".repeat(60_000)}e60000`, "0"],
  ["-0", undefined],
  ["-1", undefined],
  ["-1e-7", undefined],
  ["NaN", undefined],
  ["Infinity", undefined],
  ["0x10", undefined],
  ["", undefined],
  ["1e", undefined],
  [".5", undefined],
  ["5.", undefined],
  ["+1", undefined],
  ["1 ", undefined],
];

for (const [source, plain] of NUMBERS) {
  const short = source.length > 40 ? `${source.slice(0, 12)}… (${source.length})` : source;
  const outcome = plain === undefined ? "is refused" : "is read exactly";
  Deno.test(`contract 1: the JSON number ${JSON.stringify(short)} ${outcome}`, () => {
    assert.equal(plainAmountOfNumber(source), plain);
  });
}

const STRINGS_TAKEN = ["5", "0.5", "007", "0", "0.0", "00.10", NINES, `0.${"1".repeat(77)}`];

for (const text of STRINGS_TAKEN) {
  Deno.test(`the string "${text.slice(0, 20)}" of ${text.length} characters is an amount as it is`, () => {
    assert.equal(plainAmount(text), text);
  });
}

const STRINGS_REFUSED = [".5", "5.", "+1", "-1", "-0", "1e-7", "1E5", "", " ", " 5", "5 ", "5\n"]
  .concat(["1,000", "1_000", "0x10", "NaN", "Infinity", "1.2.3", "٥", "５", "1 000", "½"]);

for (const text of STRINGS_REFUSED) {
  Deno.test(`contract 1: the string ${JSON.stringify(text)} is no amount`, () => {
    assert.equal(plainAmount(text), undefined);
  });
}

Deno.test("a string of 79 digits is no amount, wherever its point is", () => {
  assert.equal(plainAmount("1".repeat(79)), undefined);
  assert.equal(plainAmount(`${"1".repeat(40)}.${"1".repeat(39)}`), undefined);
  assert.notEqual(plainAmount(`${"1".repeat(40)}.${"1".repeat(38)}`), undefined);
});

Deno.test("a JSON number with at most 78 digits in plain notation is read, whatever its exponent", () => {
  assert.equal(plainAmountOfNumber("0.00001e80"), `1${"0".repeat(75)}`);
  assert.equal(plainAmountOfNumber(`1${"0".repeat(70)}e-70`), "1");
  assert.equal(plainAmountOfNumber("0.001e3"), "1");
});

Deno.test("every JSON number of up to 60 digits means the same in plain notation", () => {
  for (const seed of [7, 8, 9]) {
    const random = seededRandom(seed);
    for (let i = 0; i < 3000; i++) {
      const whole = random.chance(0.3) ? "0" : `${1 + random.below(9)}${random.digits(20)}`;
      const fraction = random.chance(0.5) ? "" : random.digits(1 + random.below(20));
      const exponent = random.below(35) - 17;
      const source = `${whole}${fraction && `.${fraction}`}e${exponent}`;
      const { units, places } = fractionOf(fraction ? `${whole}.${fraction}` : whole);
      const expected = exponent < 0
        ? { units, places: places - exponent }
        : { units: units * 10n ** BigInt(exponent), places };
      const plain = plainAmountOfNumber(source);
      assert.equal(plain, textOf(expected), `seed ${seed}, case ${i}: ${source}`);
      assert.equal(comparison(fractionOf(plain!), expected), 0);
    }
  }
});
