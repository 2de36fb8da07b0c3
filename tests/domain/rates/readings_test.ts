import assert from "node:assert/strict";
import { type FeedRound, priceOfNodes, priceOfRound } from "../../../src/rates/rules/feed_round.ts";
import { isPointer, isPrice, readingIn } from "../../../src/rates/rules/price.ts";

const NOW = 1_767_225_600_000;

function round(given: Partial<FeedRound> = {}): FeedRound {
  const updatedAt = BigInt(NOW / 1000 - 10);
  return {
    ...{ roundId: 7n, answer: 300_012_000_000n, updatedAt, answeredInRound: 7n, decimals: 8 },
    ...given,
  };
}

const ROUNDS: readonly [given: Partial<FeedRound>, value: string | RegExp][] = [
  [{}, "3000.12"],
  [{ decimals: 18, answer: 1n }, "0.000000000000000001"],
  [{ decimals: 0, answer: 42n }, "42"],
  [{ decimals: 36, answer: 10n ** 36n }, "1"],
  [{ updatedAt: BigInt(NOW / 1000) }, "3000.12"],
  [{ answeredInRound: 8n }, "3000.12"],
  [{ answer: 0n }, /not above zero/],
  [{ answer: -5n }, /not above zero/],
  [{ roundId: 0n }, /incomplete/],
  [{ updatedAt: 0n }, /incomplete/],
  [{ answeredInRound: 6n }, /older round/],
  [{ updatedAt: BigInt(NOW / 1000 + 1) }, /future/],
  [{ updatedAt: 2n ** 255n }, /future/],
  [{ decimals: 37 }, /37 decimals/],
  [{ answer: 10n ** 70n, decimals: 0 }, /too many digits/],
];

Deno.test("a round's price has the feed's decimals, and a round without a right price is refused", () => {
  for (const [given, wanted] of ROUNDS) {
    const reading = priceOfRound(round(given), NOW);
    if (typeof wanted === "string") {
      assert.equal("value" in reading && reading.value, wanted);
    } else assert.match("fault" in reading ? reading.fault : "", wanted);
  }
  assert.match(JSON.stringify(priceOfRound(null, NOW)), /doesn't answer like/);
});

Deno.test("one node out of several can't set a feed's price", () => {
  const valueOf = (...answers: (bigint | null)[]) => {
    const rounds = answers.map((answer) => answer === null ? null : round({ answer, decimals: 0 }));
    const reading = priceOfNodes(rounds, NOW);
    return "value" in reading ? reading.value : reading.fault;
  };
  assert.equal(valueOf(100n), "100");
  assert.equal(valueOf(100n, 101n), "100");
  assert.equal(valueOf(100n, 103n), "the nodes report different prices");
  assert.equal(valueOf(100n, 101n, 5_000n), "100");
  assert.equal(valueOf(1n, 100n, 101n), "100");
  assert.equal(valueOf(1n, 100n, 200n), "the nodes report different prices");
  assert.equal(valueOf(100n, 100n, null), "100");
  assert.match(valueOf(100n, null), /doesn't answer/);
  assert.match(valueOf(null), /doesn't answer/);
});

const DOCUMENTS: readonly [document: string, pointer: string, value: string | RegExp][] = [
  ['{"result":{"price":3000.1}}', "/result/price", "3000.1"],
  ['{"price":0.12345678901234567890123}', "/price", "0.12345678901234567890123"],
  ['{"price":12345678901234567890.5}', "/price", "12345678901234567890.5"],
  ['{"price":1e-7}', "/price", "0.0000001"],
  ['{"price":3.00E3}', "/price", "3000"],
  ['{"price":"0003000.1000"}', "/price", "3000.1"],
  ["3000", "", "3000"],
  ['[[1,"2.5"]]', "/0/1", "2.5"],
  ['{"a/b":{"m~n":5}}', "/a~1b/m~0n", "5"],
  ['{"":{"":6}}', "//", "6"],
  ['{"price":1,"price":2}', "/price", "2"],
  ['{"price":0}', "/price", /not a price/],
  ['{"price":"0.000"}', "/price", /not a price/],
  ['{"price":-1}', "/price", /not a price/],
  ['{"price":"-1"}', "/price", /not a price/],
  ['{"price":"1e3"}', "/price", /not a price/],
  ['{"price":" 1"}', "/price", /not a price/],
  ['{"price":"NaN"}', "/price", /not a price/],
  ['{"price":null}', "/price", /not a price/],
  ['{"price":true}', "/price", /not a price/],
  ['{"price":{"source":"1"}}', "/price", /not a price/],
  ['{"price":1e999999999}', "/price", /not a price/],
  [`{"price":1${"0".repeat(60)}}`, "/price", /not a price/],
  ['{"price":1}', "/Price", /not a price/],
  ['{"price":1}', "/price/source", /not a price/],
  ['{"price":"1"}', "/price/0", /not a price/],
  ['{"price":1}', "/constructor/name", /not a price/],
  ['{"price":[1,2]}', "/price/length", /not a price/],
  ['{"price":[1,2]}', "/price/01", /not a price/],
  ['{"price":[1,2]}', "/price/2", /not a price/],
  ["not json", "/price", /JSON/],
  ["", "", /JSON/],
  ["[".repeat(60_000), "", /JSON/],
  [`${"[".repeat(30_000)}1${"]".repeat(30_000)}`, "/0", /JSON|not a price/],
];

Deno.test("a price is read from a document by its digits, where the pointer says", () => {
  for (const [document, pointer, wanted] of DOCUMENTS) {
    const found = readingIn(document, { price: pointer }, { askedAtMs: NOW - 40, nowMs: NOW });
    const name = `${document.slice(0, 80)} at ${pointer}`;
    if (typeof wanted === "string") {
      assert.deepEqual(found, { value: wanted, atMs: NOW - 40 }, name);
    } else assert.match("fault" in found ? found.fault : "a value", wanted, name);
  }
});

const TIMES: readonly [time: unknown, atMs: number | RegExp][] = [
  [NOW / 1000, NOW],
  [`${NOW / 1000 - 5}`, NOW - 5_000],
  [NOW / 1000 - 0.4, NOW - 1_000],
  [`${NOW / 1000}.999`, NOW],
  ["0", 0],
  [NOW / 1000 + 1, /future/],
  [NOW, /future/],
  ["9".repeat(78), /future/],
  ["9".repeat(79), /doesn't say when/],
  [-1, /doesn't say when/],
  ["2026-01-01", /doesn't say when/],
  [null, /doesn't say when/],
  [undefined, /doesn't say when/],
];

Deno.test("a price is of the time that its document gives, which is no later than ours", () => {
  for (const [time, wanted] of TIMES) {
    const document = JSON.stringify({ last: "64123.10", at: { s: time } });
    const pointers = { price: "/last", seconds: "/at/s" };
    const reading = readingIn(document, pointers, { askedAtMs: NOW - 40, nowMs: NOW });
    if (wanted instanceof RegExp) {
      assert.match("fault" in reading ? reading.fault : "", wanted, document);
    } else assert.deepEqual(reading, { value: "64123.1", atMs: wanted }, document);
  }
});

Deno.test("pointers are checked as RFC 6901 writes them, and prices have an end", () => {
  for (const right of ["", "/a", "/a/0", "/a~0~1/b", "/"]) assert.ok(isPointer(right), right);
  const wrong = ["a", "a/b", "/a~", "/a~2", " /a", `${"/".repeat(60)}~`];
  for (const one of wrong) assert.ok(!isPointer(one), one);
  for (const right of ["1", "0.1", "1".repeat(60)]) assert.ok(isPrice(right), right);
  for (const wrong of ["0", "0.0", "", "1.", "1".repeat(61), "-1"]) {
    assert.ok(!isPrice(wrong), wrong);
  }
});
