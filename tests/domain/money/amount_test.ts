import assert from "node:assert/strict";
import { InvariantError } from "../../../src/base/assert.ts";
import { Amount, assetOf } from "../../../src/domain/money/amount.ts";
import {
  comparison,
  type Fraction,
  fractionOf,
  negated,
  product,
  randomDecimal,
  sum,
  textOf,
  truncated,
} from "./fraction.ts";
import { type Random, seededRandom } from "../random.ts";

const ASSET = "ETH/USDT";
const CASES = 4000;
const SEEDS = [1, 20260131, 0xc0ffee];

const amount = (text: string) => Amount.parse(text, ASSET);

/** The same signed decimal for the product and for the oracle. */
interface Pair {
  readonly text: string;
  readonly money: Amount;
  readonly oracle: Fraction;
}

function pairOf(text: string): Pair {
  return { text, money: amount(text), oracle: fractionOf(text) };
}

function makePair(random: Random): Pair {
  return pairOf((random.chance(0.3) ? "-" : "") + randomDecimal(random));
}

/** Another amount that is rarely far from it. */
function makeNear({ text, oracle }: Pair, random: Random): Pair {
  const longer = text.includes(".") ? text : `${text}.`;
  if (random.chance(0.2)) return { text, oracle, money: amount(`${longer}00`) };
  return random.chance(0.5)
    ? makePair(random)
    : pairOf(`${longer}${"0".repeat(random.below(20))}1`);
}

function forRandomCases(check: (random: Random, at: string) => void): void {
  for (const seed of SEEDS) {
    const random = seededRandom(seed);
    for (let i = 0; i < CASES; i++) check(random, `seed ${seed}, case ${i}`);
  }
}

Deno.test("an amount of up to 78 digits is written back with the same value in plain notation", () => {
  forRandomCases((random, at) => {
    const { text, money, oracle } = makePair(random);
    assert.equal(money.toString(), textOf(oracle), `${at}: ${text}`);
    assert.match(money.toString(), /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/, at);
  });
});

Deno.test("sums and differences of amounts of 78 digits are exact", () => {
  forRandomCases((random, at) => {
    const a = makePair(random);
    const b = makePair(random);
    const what = `${at}: ${a.text} and ${b.text}`;
    assert.equal(a.money.plus(b.money).toString(), textOf(sum(a.oracle, b.oracle)), what);
    assert.equal(a.money.plus(a.money).toString(), textOf(sum(a.oracle, a.oracle)), what);
    assert.equal(a.money.plus(b.money).toString(), textOf(sum(a.oracle, b.oracle)), what);
    assert.equal(a.money.plus(b.money), a.money.plus(b.money), `${what}, asked twice`);
    const difference = textOf(sum(a.oracle, negated(b.oracle)));
    assert.equal(a.money.minus(b.money).toString(), difference, what);
    assert.equal(a.money.negated().toString(), textOf(negated(a.oracle)), what);
  });
});

Deno.test("the sum of many texts is what adding them one by one gives", () => {
  const random = seededRandom(7);
  for (let i = 0; i < CASES / 10; i++) {
    const pairs = Array.from({ length: random.below(9) }, () => makePair(random));
    const expected = pairs.map(({ oracle }) => oracle).reduce(sum, fractionOf("0"));
    const texts = pairs.map(({ text }) => text);
    assert.equal(Amount.sumOf(texts, ASSET).toString(), textOf(expected), texts.join(" + "));
  }
  assert.throws(() => Amount.sumOf(["1", "1e3"], ASSET), InvariantError);
});

Deno.test("a percentage of an amount is exact when both have 78 digits", () => {
  forRandomCases((random, at) => {
    const { text, money, oracle } = makePair(random);
    const percent = randomDecimal(random);
    const expected = product(product(oracle, fractionOf(percent)), fractionOf("0.01"));
    assert.equal(money.percentage(percent).toString(), textOf(expected), `${at}: ${text}`);
  });
});

Deno.test("an amount converted by a rate of 78 digits is exact, and in the other currency", () => {
  forRandomCases((random, at) => {
    const { text, money, oracle } = makePair(random);
    const rate = randomDecimal(random);
    const converted = money.convertedBy(rate, "ETH/ETH");
    const expected = textOf(product(oracle, fractionOf(rate)));
    assert.equal(converted.toString(), expected, `${at}: ${text}`);
    assert.equal(converted.asset, "ETH/ETH");
  });
});

Deno.test("an amount is priced as the least of the other currency that is worth it", () => {
  forRandomCases((random, at) => {
    const text = randomDecimal(random);
    const rate = fractionOf(randomDecimal(random));
    if (rate.units === 0n) return;
    const decimals = random.below(37);
    const priced = amount(text).pricedAt(textOf(rate), { asset: "ETH/ETH", decimals });
    const { units, places } = fractionOf(priced.toString());
    assert.ok(places <= decimals, `${at}: ${priced}`);
    const owed = fractionOf(text);
    const worth = (units: bigint) => comparison(product({ units, places: decimals }, rate), owed);
    const whole = units * 10n ** BigInt(decimals - places);
    assert.ok(worth(whole) >= 0, `${at}: ${priced} at ${textOf(rate)} is less than ${text}`);
    assert.ok(whole === 0n || worth(whole - 1n) < 0, `${at}: ${priced} isn't the least`);
    assert.equal(priced.asset, "ETH/ETH");
  });
});

Deno.test("an amount is exchanged for the most of the other currency that isn't worth more", () => {
  forRandomCases((random, at) => {
    const [text, of, worth] = [0, 1, 2].map(() => randomDecimal(random)) as [
      string,
      string,
      string,
    ];
    if (fractionOf(of).units === 0n || fractionOf(worth).units === 0n) return;
    const decimals = random.below(37);
    const rate = { of: amount(of), worth: Amount.parse(worth, "ETH/ETH") };
    const got = amount(text).exchanged(rate, decimals);
    const { units, places } = fractionOf(got.toString());
    assert.ok(places <= decimals, `${at}: ${got}`);
    const whole = product(fractionOf(text), fractionOf(worth));
    const part = (units: bigint) =>
      comparison(product({ units, places: decimals }, fractionOf(of)), whole);
    const most = units * 10n ** BigInt(decimals - places);
    assert.ok(part(most) <= 0, `${at}: ${got} is worth more than ${text}`);
    assert.ok(part(most + 1n) > 0, `${at}: ${got} isn't the most`);
    assert.equal(got.asset, "ETH/ETH");
  });
});

Deno.test("a thousand amounts added one by one make the exact sum", () => {
  for (const seed of SEEDS) {
    const random = seededRandom(seed);
    let money = Amount.zero(ASSET);
    let oracle = fractionOf("0");
    for (let i = 0; i < 1000; i++) {
      const next = makePair(random);
      money = money.plus(next.money);
      oracle = sum(oracle, next.oracle);
    }
    assert.equal(money.toString(), textOf(oracle), `seed ${seed}`);
  }
});

Deno.test("amounts are compared by value, however they were written", () => {
  forRandomCases((random, at) => {
    const a = makePair(random);
    const b = makeNear(a, random);
    const order = comparison(a.oracle, b.oracle);
    assert.equal(a.money.isLessThan(b.money), order < 0, at);
    assert.equal(b.money.isLessThan(a.money), order > 0, at);
    assert.equal(a.money.equals(b.money), order === 0, at);
    assert.equal(a.money.isZero(), a.oracle.units === 0n, at);
    assert.equal(a.money.isNegative(), a.oracle.units < 0n, at);
  });
});

Deno.test("truncation cuts towards zero and never rounds", () => {
  forRandomCases((random, at) => {
    const { text, money, oracle } = makePair(random);
    const places = random.below(40);
    const cut = money.truncatedTo(places).toString();
    assert.equal(
      cut,
      textOf(truncated(oracle, places)).replace(/^-0$/, "0"),
      `${at}: ${text} to ${places}`,
    );
  });
  assert.equal(amount("0.9999999").truncatedTo(6).toString(), "0.999999");
  assert.equal(amount("-0.9999999").truncatedTo(6).toString(), "-0.999999");
  assert.equal(amount("0.0000009").truncatedTo(6).toString(), "0");
});

Deno.test("base units become an amount and the same base units again, for any number of decimals", () => {
  forRandomCases((random, at) => {
    const raw = BigInt(random.digits(1 + random.below(78)));
    const decimals = random.below(37);
    const money = Amount.fromRaw(raw, { asset: ASSET, decimals });
    assert.equal(money.toString(), textOf({ units: raw, places: decimals }), at);
    assert.equal(money.toRaw(decimals), raw, at);
  });
});

Deno.test("the highest number of a 256-bit chain survives every conversion", () => {
  const raw = 2n ** 256n - 1n;
  for (const decimals of [0, 6, 18, 77, 78]) {
    const money = Amount.fromRaw(raw, { asset: ASSET, decimals });
    assert.equal(money.toRaw(decimals), raw);
    assert.equal(amount(money.toString()).toRaw(decimals), raw);
    assert.equal(money.plus(money).minus(money).toRaw(decimals), raw);
  }
});

Deno.test("an amount with more decimals than the chain has no base units", () => {
  assert.equal(amount("1.0000010").toRaw(6), 1_000_001n);
  assert.throws(() => amount("1.0000001").toRaw(6), InvariantError);
  assert.throws(() => amount("0.5").toRaw(0), InvariantError);
});

Deno.test("amounts of two currencies, or of one currency on two networks, can't be mixed", () => {
  const one = Amount.parse("1", "ETH/USDT");
  const others = [Amount.parse("1", "ETH/USDC"), Amount.parse("1", "TRX/USDT")];
  for (const other of others) {
    const meetings = [
      () => one.plus(other),
      () => one.minus(other),
      () => one.isLessThan(other),
      () => one.equals(other),
    ];
    for (const meet of meetings) {
      assert.throws(meet, {
        name: "InvariantError",
        message: `Cannot mix ETH/USDT with ${other.asset}`,
      });
    }
  }
});

Deno.test("every operation keeps the currency", () => {
  const one = amount("1.5");
  const results = [
    one.plus(one),
    one.minus(one),
    one.negated(),
    one.percentage("3"),
    one.truncatedTo(0),
    Amount.zero(ASSET),
    Amount.fromRaw(5n, { asset: ASSET, decimals: 1 }),
  ];
  assert.deepEqual(results.map((result) => result.asset), results.map(() => ASSET));
  assert.equal(assetOf({ network: "ETH", currency: "USDT" }), "ETH/USDT");
});

Deno.test("text that isn't a plain decimal is never read as an amount", () => {
  const wrong = ["", " 1", "1 ", "1e3", "1E3", ".5", "5.", "+1", "--1", "0x1", "1,5", "1_000"];
  for (const text of [...wrong, "NaN", "Infinity", "1\n", "١"]) {
    assert.throws(() => amount(text), InvariantError, JSON.stringify(text));
  }
});

Deno.test("zero is written 0 without a sign, however it was computed", () => {
  const zeros = ["0", "-0", "0.000", "-0.0", "000"].map(amount);
  for (const zero of [...zeros, amount("1").minus(amount("1")), Amount.zero(ASSET).negated()]) {
    assert.equal(zero.toString(), "0");
    assert.equal(zero.isZero(), true);
    assert.equal(zero.isNegative(), false);
    assert.equal(zero.toRaw(18), 0n);
  }
});

Deno.test("an amount in a JSON document is its plain text", () => {
  assert.equal(JSON.stringify({ amount: amount("0.0000001") }), '{"amount":"0.0000001"}');
  assert.equal(JSON.stringify(amount(`1${"0".repeat(77)}`)), `"1${"0".repeat(77)}"`);
});
