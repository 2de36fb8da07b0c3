import assert from "node:assert/strict";
import { newTotpSecret, totpAt, totpStep, totpUri } from "../../../src/base/secrets/totp.ts";

/** The secret of the RFC's vectors, "12345678901234567890". */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

Deno.test("codes match RFC 6238, appendix B", () => {
  const known: readonly (readonly [seconds: number, code: string])[] = [
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ];
  for (const [seconds, code] of known) {
    assert.equal(totpAt(SECRET, Math.floor(seconds / 30)), code);
  }
});

Deno.test("a new secret is 160 random bits in the base32 of RFC 4648, without padding", () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/);
  assert.notEqual(newTotpSecret(), newTotpSecret());
});

Deno.test("a code is valid one step early and late, no further, and only once", () => {
  const step = 1000;
  const code = totpAt(SECRET, step);
  const at = (steps: number, after = 0) =>
    totpStep(code, { secret: SECRET, nowMs: (step + steps) * 30_000 + 29_999, after });
  assert.deepEqual([-2, -1, 0, 1, 2].map((steps) => at(steps)), [
    undefined,
    step,
    step,
    step,
    undefined,
  ]);
  assert.equal(at(0, step), undefined);
  assert.equal(at(0, step - 1), step);
});

Deno.test("an app gets issuer and user with the secret", () => {
  assert.equal(
    totpUri({ secret: "ABC", user: "a b@c.d", issuer: "CPG" }),
    "otpauth://totp/CPG:a%20b%40c.d?secret=ABC&issuer=CPG",
  );
});
