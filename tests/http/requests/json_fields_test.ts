import assert from "node:assert/strict";
import { JsonNumber } from "../../../src/domain/money/amount_text.ts";
import { jsonFields, strictFields } from "../../../src/http/json_fields.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { HOSTILE_KINDS, hostileBody } from "../../support/programs/hostile_bodies.ts";

const NAMES = ["amount", "currency", "network", ""];

/** What JSON.parse says about the same text, as far as a field can take it. */
function expected(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const known = Object.entries(value).filter(([name, field]) =>
    NAMES.includes(name) && field !== null
  );
  return Object.fromEntries(known.map(([name, field]) => [name, comparable(field)]));
}

function read(text: string): Record<string, unknown> | undefined {
  const fields = jsonFields(text, NAMES);
  return fields && Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, comparable(field)]),
  );
}

function comparable(field: unknown): unknown {
  if (field instanceof JsonNumber) return Number(field.source);
  return typeof field === "object" ? "nested" : field;
}

function assertSame(text: string, what: string): void {
  const name = `${what}: ${JSON.stringify(text.slice(0, 300))}`;
  assert.deepEqual(read(text), expected(text), name);
  // Short texts are parsed, long ones are scanned.
  const long = text + " ".repeat(1_024);
  assert.deepEqual(read(long), expected(long), `${name}, long`);
}

const PIECES = ["{", "}", "[", "]", ",", ":", '"amount"', '"network"', '"a\\u006dount"', '""', "1"]
  .concat(["-0.5e+7", "01", "1.", "true", "null", '"\\x"', '"\u0001"', '"\\ud800"', " ", "\n"])
  .concat(["\u00a0", "'", '"', "\\", "NaN", "1e5", "nul", "{}", "[]", '"__proto__"', "\u2028"]);

function value(random: Random, depth = 0): string {
  const kind = random.below(depth > 4 ? 5 : 7);
  const blank = random.chance(0.2) ? random.pick([" ", "\n", "\t", "\r"]) : "";
  if (kind === 0) return blank + random.pick(["0", "-1", "12.50", "1e-7", "1E+400", "-0"]);
  if (kind < 3) return random.pick(['"ETH"', '""', '"\\"\\u00e9\\n"', '"😀"']) + blank;
  if (kind < 5) return random.pick(["true", "false", "null"]);
  const parts = Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  if (kind === 5) return `[${parts.join(`${blank},`)}${blank}]`;
  return object(random, parts);
}

function object(random: Random, parts: readonly string[]): string {
  const names = ['"amount"', '"currency"', '"x"', '"a\\u006dount"', '"__proto__"', '""', '"7"'];
  return `{${parts.map((part) => `${random.pick(names)}:${part}`).join(" ,")}}`;
}

for (const seed of [1, 2, 3]) {
  Deno.test(`fields are found as by JSON.parse, and refused where it refuses (seed ${seed})`, () => {
    const random = seededRandom(seed);
    for (let i = 0; i < 4_000; i++) {
      const parts = Array.from({ length: random.below(6) }, () => value(random));
      const text = random.chance(0.1) ? value(random) : object(random, parts);
      assertSame(text, `case ${i}`);
      const at = random.below(text.length + 1);
      const cut = random.below(3);
      assertSame(text.slice(0, at) + random.pick(PIECES) + text.slice(at + cut), `case ${i}, bent`);
      const pieces = Array.from({ length: random.below(12) }, () => random.pick(PIECES));
      assertSame(pieces.join(""), `case ${i}, pieces`);
    }
  });
}

Deno.test("the worst bodies mean what JSON.parse makes of them", () => {
  const random = seededRandom(4);
  for (const kind of HOSTILE_KINDS) {
    for (const size of [256, 1_000, 9_000]) {
      const { bytes } = hostileBody(random, { kind, size });
      assertSame(new TextDecoder().decode(bytes), kind);
    }
  }
});

Deno.test("a number keeps its digits, the last of a name counts, and others may be nested", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const text = `{"amount":1,"x":${deep},"amount":null,"amo\\u0075nt":1.10e-07}`;
  const { amount } = jsonFields(text, ["amount"])!;
  assert.ok(amount instanceof JsonNumber);
  assert.equal(amount.source, "1.10e-07");
});

Deno.test("strictly read, lists and objects are kept to a depth, and unknown names are reported", () => {
  const read = (text: string) => strictFields(text, ["a", "b"]);
  assert.deepEqual(read(`{"a":["x",[1],{"c":["y"]},null,true],"b":"z"}`), {
    fields: {
      a: ["x", [new JsonNumber("1")], objectOf({ c: ["y"] }), null, true],
      b: "z",
    },
    unknown: [],
  });
  assert.deepEqual(read(`{"a":{"b":{"c":{"d":1}},"__proto__":"x"}}`), {
    fields: {
      a: objectOf({ b: objectOf({ c: objectOf({ d: new JsonNumber("1") }) }), ["__proto__"]: "x" }),
    },
    unknown: [],
  });
  const many = read(`{"a":[${"1,".repeat(5_000)}1]}`)!.fields.a as unknown[];
  assert.equal(many.length, 1_000);
  assert.deepEqual(read(`{"a":["x"],"c":["y","z"],"b":[]}`), {
    fields: { a: ["x"], b: [] },
    unknown: ["c"],
  });
  assert.deepEqual(read(`{"a":["x"],"a":["y"],"d":null,"d":{"a":1}}`), {
    fields: { a: ["y"] },
    unknown: ["d"],
  });
  assert.equal(read(`{"a":["x"}`), undefined);
});

function objectOf(fields: object): object {
  return Object.assign(Object.create(null), fields);
}
