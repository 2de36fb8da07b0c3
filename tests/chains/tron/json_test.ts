import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { amount, integer, safeNumber } from "../../../src/chains/tron/decode.ts";
import { parseExact } from "../../../src/chains/tron/json.ts";
import { RpcFailure } from "../../../src/chains/pool/node_errors.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { timed } from "../../support/programs/thread_time.ts";

Deno.test("integers of any length are read to the last digit (hazard 53)", () => {
  const random = seededRandom(53);
  for (let i = 0; i < 3000; i++) {
    const digits = `${1 + random.below(9)}${random.digits(random.below(40))}`;
    const value = random.chance(0.2) ? `-${digits}` : digits;
    const space = random.pick(["", " ", "\n"]);
    const text = random.pick([
      `{"a":${space}${value}${space}}`,
      `{"a":${space}${value},"b":1}`,
      `{"b":[1,2],"a":${value}${space},"c":"x"}`,
    ]);
    const { a } = parseExact(text) as { a: unknown };
    assert.equal(integer(a, "a number"), BigInt(value), text);
  }
});

Deno.test("in lists too, and texts that look like numbers stay texts", () => {
  const text = `{"list":[9007199254740993, 1,-9223372036854775808],` +
    `"hex":"12345678901234567890","said":"a: 12345678901234567890, b"}`;
  assert.deepEqual(parseExact(text), {
    list: [9007199254740993n, 1, -9223372036854775808n],
    hex: "12345678901234567890",
    said: "a: 12345678901234567890, b",
  });
});

Deno.test("a fraction, a power or a text is no amount, and no amount is negative", () => {
  for (const text of ["1.5", "1e30", '"5"', "null", "9007199254740993.5", "true", "-1"]) {
    const [value] = parseExact(`[${text}]`) as unknown[];
    assert.throws(() => amount(value, "an amount"), NodeError, text);
  }
  assert.equal(amount(undefined, "an amount"), 0n);
  assert.throws(() => safeNumber(9007199254740993n, "a height"), NodeError);
});

/** Exact in another way: the engine shows a reviver how each number was written. */
function parsedPlainly(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { source?: string }) => {
    const source = context?.source;
    const isLost = typeof value === "number" && !Number.isSafeInteger(value);
    return isLost && source && /^-?\d{1,80}$/.test(source) ? BigInt(source) : value;
  });
}

const PIECES = [
  ...'[]{}:," \n\\-.e0',
  '"a":',
  '"\\"',
  '\\\\"',
  '"12345678901234567890"',
  "12345678901234567890",
  "9007199254740991",
  "-9007199254740993",
  "0012345678901234567",
  "1".repeat(80),
  "1".repeat(81),
  "1.5e12345678901234567",
  '"__proto__":12345678901234567',
  "true",
];

function someJson(random: Random, depth = 0): string {
  const space = () => random.pick(["", "", " ", "\n "]);
  if (depth > 3 || random.chance(0.4)) return `${space()}${random.pick(SCALARS)}${space()}`;
  const items = Array.from({ length: random.below(4) }, () => someJson(random, depth + 1));
  if (random.chance(0.5)) return `[${items.join(",")}]`;
  return `{${items.map((item) => `${space()}${random.pick(NAMES)}:${item}`).join(",")}}`;
}

const NAMES = ['"a"', '"b"', '"1"', '"12345678901234567"', '"__proto__"', '"\\""'];
const SCALARS = PIECES.filter((piece) => /^(?:"[^:]*"|-?[1-9t][^:]*)$/.test(piece));

function outcomeOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return "no JSON";
    throw error;
  }
}

Deno.test("20,000 random texts are read as a reviver reads them, or are no JSON for either", () => {
  const random = seededRandom(54);
  const found = new Set<string>();
  for (let i = 0; i < 20_000; i++) {
    const jumble = Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join("");
    const text = random.chance(0.5) ? someJson(random) : jumble;
    const expected = outcomeOf(parsedPlainly, text);
    assert.deepEqual(outcomeOf(parseExact, text), expected, text);
    found.add(typeof expected);
  }
  assert.deepEqual(found, new Set(["string", "object"]));
});

Deno.test("one long integer doesn't make an answer take a reviver's time", async () => {
  const text = `[${"[1],".repeat(300_000)}12345678901234567]`;
  const workOf = async (parse: (text: string) => unknown) => {
    const tries = [];
    for (let i = 0; i < 3; i++) tries.push((await timed(() => Promise.resolve(parse(text)))).ms);
    return Math.min(...tries);
  };
  const [plainMs, ms] = [await workOf(parsedPlainly), await workOf(parseExact)];
  assert.ok(ms <= plainMs / 2, `${ms} ms, with a reviver ${plainMs} ms`);
});

Deno.test("an answer of nothing but long integers is refused", () => {
  const longs = (count: number) => `[${Array(count).fill("12345678901234567").join()}]`;
  assert.equal((parseExact(longs(200_000)) as unknown[]).length, 200_000);
  const isTooLarge = (error: unknown) => error instanceof RpcFailure && error.kind === "too_large";
  assert.throws(() => parseExact(longs(200_001)), isTooLarge);
});
