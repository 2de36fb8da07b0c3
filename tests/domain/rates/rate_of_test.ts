import assert from "node:assert/strict";
import { Decimal } from "decimal.js";
import {
  freshUntilMs,
  isFresh,
  pairsOf,
  type PricedSource,
  rateOf,
} from "../../../src/rates/rules/rate_of.ts";
import { type Random, seededRandom } from "../random.ts";

const NOW = 1_767_225_600_000;
const MINUTE = 60_000;
const ETH = { base: "ETH", quote: "USD" };

type Given = Partial<PricedSource> & { readonly value?: string; readonly ageMs?: number };

function source({ value = "3000", ageMs = 0, ...rest }: Given = {}): PricedSource {
  const price = { value, atMs: NOW - ageMs };
  return { ...ETH, price, maxAgeMs: MINUTE, isPreset: false, ...rest };
}

const valueOf = (sources: readonly PricedSource[], pair = ETH) =>
  rateOf(sources, { ...pair, nowMs: NOW })?.value ?? null;
const medianOf = (...values: string[]) => valueOf(values.map((value) => source({ value })));

const MEDIANS: readonly [values: readonly string[], rate: string | null][] = [
  [[], null],
  [["3000.10"], "3000.1"],
  [["0.000000000000000000000000000000000001"], "0.000000000000000000000000000000000001"],
  [["100", "102"], "101"],
  [["102", "100"], "101"],
  [["100", "102.0000000000000000000000000001"], null],
  [["100", "101.0000000000000000000000000001"], "100.50000000000000000000000000005"],
  [["1", "1000000"], null],
  [["100", "101", "102"], "101"],
  [["100", "100", "200"], "100"],
  [["100", "101", "200"], "100.5"],
  [["1", "100", "101"], "100.5"],
  [["98", "100", "102"], "100"],
  [["97.99", "100", "102.01"], null],
  [["1", "100", "200"], null],
  [["100", "101", "200", "201"], null],
  [["100", "100", "100", "104"], "100"],
  [["100", "101", "101", "200"], "101"],
  [["99", "100", "101", "500", "600"], "100"],
  [["100", "100", "101", "300", "301"], "100"],
  [["1", "2", "100", "300", "301"], null],
];

Deno.test("a rate is the median of prices that agree, and nothing if they don't", () => {
  for (const [values, rate] of MEDIANS) {
    assert.equal(medianOf(...values), rate, values.join(", "));
    assert.equal(medianOf(...values.toReversed()), rate, `${values.join(", ")} reversed`);
  }
});

const AGES: readonly [given: Given, isFresh: boolean][] = [
  [{ ageMs: 0 }, true],
  [{ ageMs: MINUTE }, true],
  [{ ageMs: MINUTE + 1 }, false],
  [{ ageMs: -1 }, false],
  [{ ageMs: 400 * 24 * 60 * MINUTE, maxAgeMs: null }, true],
  [{ ageMs: -1, maxAgeMs: null }, false],
  [{ price: null }, false],
];

Deno.test("prices that are too old, or from the future, don't count", () => {
  for (const [given, fresh] of AGES) {
    const one = source(given);
    assert.equal(isFresh(one, NOW), fresh, JSON.stringify(given));
    assert.equal(valueOf([one]), fresh ? "3000" : null);
    const others = [source({ value: "2990" }), source({ value: "2991" })];
    assert.equal(rateOf([...others, one], { ...ETH, nowMs: NOW })?.sources, fresh ? 3 : 2);
  }
});

Deno.test("the same prices count until one becomes fresh or stale", () => {
  const random = seededRandom(3);
  for (let i = 0; i < 1_000; i++) {
    const sources = Array.from({ length: random.below(4) }, () => {
      const maxAgeMs = random.chance(0.3) ? null : random.below(20);
      return source({ ageMs: random.below(40) - 10, maxAgeMs });
    });
    const freshAt = (nowMs: number) => sources.map((one) => isFresh(one, nowMs)).join();
    const untilMs = freshUntilMs(sources, NOW);
    const endMs = Math.min(untilMs, NOW + 100);
    for (let at = NOW; at < endMs; at++) assert.equal(freshAt(at), freshAt(NOW), `case ${i}`);
    if (untilMs < Infinity) assert.notEqual(freshAt(untilMs), freshAt(untilMs - 1), `case ${i}`);
  }
  assert.equal(freshUntilMs([source({ price: null }), source({ maxAgeMs: null })], NOW), Infinity);
});

Deno.test("a rate is as old as the older of the prices that make it up", () => {
  const at = (...ages: number[]) =>
    rateOf(ages.map((ageMs, i) => source({ value: `${100 + i}`, ageMs })), { ...ETH, nowMs: NOW })!
      .atMs - NOW;
  assert.equal(at(5), -5);
  assert.equal(at(5, 9), -9);
  assert.equal(at(50, 3, 60), -3);
  const peg = [source({ base: "EUR", value: "1.1", ageMs: 7 }), source({ ageMs: 2 })];
  assert.equal(rateOf(peg, { base: "ETH", quote: "EUR", nowMs: NOW })!.atMs, NOW - 7);
});

Deno.test("a pair works both ways and in any case, and its sources are compared whichever way they are", () => {
  assert.equal(valueOf([source()], { base: "usd", quote: "eth" }), `0.000${"3".repeat(30)}`);
  assert.equal(valueOf([source({ value: "4" })], { base: "USD", quote: "ETH" }), "0.25");
  const turned = source({ base: "USD", quote: "ETH", value: "0.00025" });
  assert.equal(valueOf([turned]), "4000");
  assert.equal(valueOf([source(), turned]), null);
  assert.equal(valueOf([source({ value: "3960" }), turned]), "3980");
  assert.equal(valueOf([], { base: "Eth", quote: "ETH" }), "1");
});

Deno.test("a pair without sources is crossed through USD, to 30 digits rounded down", () => {
  const pair = { base: "ETH", quote: "EUR" };
  const euro = source({ base: "EUR", value: "1.1" });
  assert.equal(valueOf([source(), euro], pair), `2727.${"27".repeat(13)}`);
  assert.equal(
    valueOf([source(), source({ base: "USD", quote: "EUR", value: "0.9" })], pair),
    "2700",
  );
  assert.equal(
    valueOf([source({ value: "0.0000000007" }), euro], pair),
    `0.000000000${"63".repeat(15)}`,
  );
  assert.equal(
    valueOf([source({ value: `2${"0".repeat(40)}` }), source({ base: "EUR", value: "3" })], pair),
    `${"6".repeat(30)}${"0".repeat(10)}`,
  );
  assert.equal(valueOf([source()], pair), null);
  assert.equal(
    valueOf([source(), source({ base: "EUR", value: "1.1", ageMs: MINUTE + 1 })], pair),
    null,
  );
  const two = [source({ value: "100" }), source({ value: "103" }), euro];
  assert.equal(valueOf(two, pair), null, "one of the two sides has no rate");
});

Deno.test("a pair's own price beats the cross rate, even if its sources don't agree", () => {
  const pair = { base: "ETH", quote: "EUR" };
  const around = [source(), source({ base: "EUR", value: "1.1" })];
  assert.equal(valueOf([...around, source({ ...pair, value: "2500" })], pair), "2500");
  assert.equal(
    valueOf([...around, source({ base: "EUR", quote: "ETH", value: "0.0004" })], pair),
    "2500",
  );
  const apart = [source({ ...pair, value: "2500" }), source({ ...pair, value: "2600" })];
  assert.equal(valueOf([...around, ...apart], pair), null);
  const old = source({ ...pair, value: "2500", ageMs: MINUTE + 1 });
  assert.equal(
    valueOf([...around, old], pair),
    `2727.${"27".repeat(13)}`,
    "an old one is no price",
  );
});

Deno.test("the operator's sources replace those of presets, which are dollars while near one", () => {
  const preset = (base: string, value: string) => source({ base, value, isPreset: true });
  const own = source({ value: "2000" });
  assert.equal(valueOf([preset("ETH", "3000"), preset("ETH", "3001"), own]), "2000");
  assert.equal(valueOf([preset("ETH", "3000"), preset("ETH", "3001")]), "3000.5");
  assert.equal(valueOf([preset("ETH", "3000"), { ...own, price: null }]), null);
  for (const base of ["USDT", "USDC"]) {
    const worth = (...values: string[]) =>
      valueOf(values.map((value) => preset(base, value)), { base, quote: "USD" });
    for (const near of ["0.98", "0.9999", "1", "1.02"]) assert.equal(worth(near), "1", near);
    for (const far of ["0.9799999", "1.0200001", "0.5"]) assert.equal(worth(far), null, far);
    assert.equal(worth("0.99", "1", "0.2"), "1");
    assert.equal(worth("0.99", "1.02"), null);
    assert.equal(valueOf([preset(base, "0.99")], { base: "USD", quote: base }), "1");
    assert.equal(valueOf([source({ base, value: "0.99" })], { base, quote: "USD" }), "0.99");
    const euro = source({ base: "EUR", value: "1.25" });
    assert.equal(valueOf([preset(base, "0.99"), euro], { base, quote: "EUR" }), "0.8");
    assert.equal(valueOf([preset(base, "0.97"), euro], { base, quote: "EUR" }), null);
  }
});

Deno.test("every pair with a source is listed once", () => {
  const sources = [source(), source({ base: "usd", quote: "eth" }), source({ base: "EUR" })];
  assert.deepEqual(pairsOf(sources), [ETH, { base: "EUR", quote: "USD" }]);
});

/** With enough digits that nothing is ever rounded. */
const Wide = Decimal.clone({ precision: 300, toExpPos: 400, toExpNeg: -400 });

/** The rules once more, in other words. */
function expected(sources: readonly PricedSource[]): string | null {
  const prices = sources
    .filter(({ price, maxAgeMs }) =>
      price && price.atMs <= NOW && (maxAgeMs === null || price.atMs >= NOW - maxAgeMs)
    )
    .map(({ price }) => new Wide(price!.value))
    .toSorted((a, b) => a.comparedTo(b));
  const middle = (sorted: readonly Decimal[]) =>
    sorted[Math.floor((sorted.length - 1) / 2)]!.plus(sorted[Math.ceil((sorted.length - 1) / 2)]!)
      .div(2);
  if (prices.length === 0) return null;
  if (prices.length === 2 && prices[1]!.gt(prices[0]!.times("1.02"))) return null;
  if (prices.length < 3) return middle(prices).toFixed();
  const median = middle(prices);
  const close = prices.filter((price) =>
    price.gte(median.times("0.98")) && price.lte(median.times("1.02"))
  );
  return close.length > prices.length / 2 ? middle(close).toFixed() : null;
}

function randomSource(random: Random): PricedSource {
  const value = `${random.pick(["97", "98", "99", "100", "100", "101", "102", "104", "1"])}.${
    random.digits(1 + random.below(30))
  }`;
  const ageMs = random.pick([0, 1, MINUTE, MINUTE + 1, 10 * MINUTE, -1, -MINUTE]);
  const price = random.chance(0.05) ? null : { value, atMs: NOW - ageMs };
  return source({ price, maxAgeMs: random.chance(0.2) ? null : MINUTE });
}

Deno.test("in 10,000 random sets no stale and no single deviating source makes a rate, and sums are exact", () => {
  const random = seededRandom(20);
  let rates = 0;
  for (let i = 0; i < 10_000; i++) {
    const sources = Array.from({ length: random.below(8) }, () => randomSource(random));
    const rate = rateOf(sources, { ...ETH, nowMs: NOW });
    const at = `set ${i}: ${JSON.stringify(sources)}`;
    assert.equal(rate?.value ?? null, expected(sources), at);
    const fresh = sources.filter((one) => isFresh(one, NOW));
    assert.deepEqual(rate, rateOf(fresh, { ...ETH, nowMs: NOW }), at);
    if (rate) {
      rates++;
      assert.equal(rate.sources, fresh.length, at);
      const near = fresh.filter(({ price }) =>
        new Wide(price!.value).div(rate.value).minus(1).abs().lte("0.04")
      );
      assert.ok(2 * near.length > fresh.length, at);
    }
  }
  assert.ok(rates > 3_000 && rates < 9_000, `${rates} rates`);
});

Deno.test("one lying source moves the rate at most among the honest ones", () => {
  const random = seededRandom(21);
  for (let i = 0; i < 2_000; i++) {
    const honest = Array.from(
      { length: 2 + random.below(5) },
      () => source({ value: `100.${random.digits(6)}` }),
    );
    const lie = source({ value: `${1 + random.below(1_000)}.${random.digits(3)}` });
    const rate = rateOf([...honest, lie], { ...ETH, nowMs: NOW });
    const values = honest.map(({ price }) => Number(price!.value));
    assert.ok(rate, "most agree");
    const isAmong = Number(rate.value) >= Math.min(...values) * 0.9799 &&
      Number(rate.value) <= Math.max(...values) * 1.0201;
    assert.ok(isAmong, `${rate.value} with ${lie.price!.value}`);
    const [alone] = honest;
    const isFar = Math.abs(Number(lie.price!.value) / Number(alone!.price!.value) - 1) > 0.03;
    if (isFar) assert.equal(rateOf([alone!, lie], { ...ETH, nowMs: NOW }), null);
  }
});
