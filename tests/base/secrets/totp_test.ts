import assert from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import {
  fromBase32,
  newTotpSecret,
  toBase32,
  totpAt,
  totpStep,
  totpUri,
} from "../../../src/base/secrets/totp.ts";

const SECRET = toBase32(utf8("12345678901234567890"));

Deno.test("codes are those of RFC 6238, appendix B", async () => {
  const known: readonly (readonly [seconds: number, code: string])[] = [
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ];
  for (const [seconds, code] of known) {
    assert.equal(await totpAt(SECRET, Math.floor(seconds / 30)), code);
  }
});

Deno.test("base32 is that of RFC 4648 without padding, and comes back", () => {
  for (
    const [plain, coded] of [
      ["", ""],
      ["f", "MY"],
      ["fo", "MZXQ"],
      ["foo", "MZXW6"],
      [
        "foob",
        "MZXW6YQ",
      ],
      ["fooba", "MZXW6YTB"],
      ["foobar", "MZXW6YTBOI"],
    ] as const
  ) {
    assert.equal(toBase32(utf8(plain)), coded);
    assert.deepEqual(fromBase32(coded), utf8(plain));
  }
  const secret = newTotpSecret();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.equal(toBase32(fromBase32(secret)), secret);
});

Deno.test("a code is good a step early and late, no further, and never again", async () => {
  const step = 1000;
  const code = await totpAt(SECRET, step);
  const at = (steps: number, after = 0) =>
    totpStep(code, { secret: SECRET, nowMs: (step + steps) * 30_000 + 29_999, after });
  assert.deepEqual(await Promise.all([-2, -1, 0, 1, 2].map((steps) => at(steps))), [
    undefined,
    step,
    step,
    step,
    undefined,
  ]);
  assert.equal(await at(0, step), undefined);
  assert.equal(await at(0, step - 1), step);
});

Deno.test("an app gets issuer and user with the secret", () => {
  assert.equal(
    totpUri({ secret: "ABC", user: "a b@c.d", issuer: "CPG" }),
    "otpauth://totp/CPG:a%20b%40c.d?secret=ABC&issuer=CPG",
  );
});
