import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { toHex, utf8 } from "../../../src/base/bytes.ts";
import { createHmacCheck } from "../../../src/base/secrets/hmac_check.ts";

const SECRETS = [
  ...["", "s", "secret", "ž".repeat(200)],
  ...[31, 32, 33, 63, 64, 65, 127, 128, 129].map((length) => "x".repeat(length)),
];
const MESSAGES = [
  ...["", "a", "1767225600\nGET\n/v1/_ping\n\n", "🦕".repeat(100), "\u0000", "\ud800"],
  ...[55, 56, 63, 64, 65, 2_730, 2_731, 8_192, 8_193, 20_000].map((length) => "y".repeat(length)),
  ...[2_730, 2_731, 4_096, 20_000].map((length) => "€".repeat(length)),
];

function hmacOf(secret: string, message: string): string {
  return createHmac("sha256", secret).update(message).digest("hex");
}

Deno.test("HMAC is that of another implementation, for secrets and messages of any length", () => {
  for (const secret of SECRETS) {
    const isRight = createHmacCheck(utf8(secret));
    for (const message of MESSAGES) {
      const signature = hmacOf(secret, message);
      const name = `${secret.length} and ${message.length}`;
      assert.equal(isRight(message, signature), true, name);
      assert.equal(isRight(message, signature.toUpperCase()), true, name);
      assert.equal(isRight(`${message}.`, signature), false, name);
      assert.equal(createHmacCheck(utf8(`${secret}.`))(message, signature), false, name);
    }
  }
});

Deno.test("a signature with any bit changed, cut short or made longer is not right", () => {
  const isRight = createHmacCheck(utf8("secret"));
  const signature = hmacOf("secret", "text");
  const bytes = Uint8Array.fromHex(signature);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(isRight("text", toHex(changed)), false, `bit ${bit}`);
  }
  const wrong = [signature.slice(0, 62), `${signature}00`, `${signature}zz`, "", "zz".repeat(32)];
  for (const text of wrong) {
    // The state of the previous check must not count.
    assert.equal(isRight("text", signature), true);
    assert.equal(isRight("text", text), false, text);
    assert.equal(isRight("text", `${signature.slice(0, 62)}zz`), false);
  }
});

Deno.test("checks with many secrets in turns are each right for their own alone", () => {
  const secrets = Array.from({ length: 100 }, (_, i) => `secret ${i}`);
  const messages = secrets.map((secret, i) => secret.repeat(i % 7 === 0 ? 1_000 : i));
  const checks = secrets.map((secret) => createHmacCheck(utf8(secret)));
  const signatures = secrets.map((secret, i) => hmacOf(secret, messages[i]!));
  for (let shift = 0; shift < 3; shift++) {
    const found = checks.map((isRight, i) => isRight(messages[i]!, signatures[(i + shift) % 100]!));
    assert.deepEqual(found, checks.map(() => shift === 0));
  }
});
