import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { amount, integer, safeNumber } from "../../../src/chains/tron/decode.ts";
import { parseExact } from "../../../src/chains/tron/json.ts";
import { seededRandom } from "../../domain/random.ts";

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
