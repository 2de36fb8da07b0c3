import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { randomBytes, toBase64, toHex } from "../../src/base/bytes.ts";
import { OperatorError } from "../../src/domain/refusal.ts";
import { createVault, parseMasterKey } from "../../src/keys/vault.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 8 + 3);

Deno.test("a sealed secret opens again with the same master key and context", async () => {
  for (const secret of ["", "hush", "whsec_AAA", "ž🦕\u0000\n"]) {
    const sealed = await (await createVault(KEY)).seal(secret, "api_keys:k1");
    assert.equal(await (await createVault(KEY)).open(sealed, "api_keys:k1"), secret);
    if (secret !== "") assert.equal(sealed.includes(secret), false);
  }
});

Deno.test("a secret moved to another row doesn't open, and the fault names the row (hazard K2)", async () => {
  const vault = await createVault(KEY);
  const sealed = await vault.seal("hush", "api_keys:k1");
  await assert.rejects(vault.open(sealed, "api_keys:k2"), {
    name: "OperatorError",
    message:
      'Cannot open the secret "api_keys:k2": the master key is not the one it was sealed with',
  });
});

Deno.test("another master key opens nothing, and the fault shows neither secret nor key", async () => {
  const sealed = await (await createVault(KEY)).seal("hush", "seed");
  const other = randomBytes(32);
  const fault = await (await createVault(other)).open(sealed, "seed").catch((error) => error);
  assert.ok(fault instanceof OperatorError);
  const reported = `${fault.message} ${fault.stack}`;
  for (const secret of ["hush", sealed, toHex(other), toBase64(other)]) {
    assert.equal(reported.includes(secret), false);
  }
});

Deno.test("a text that was never sealed doesn't open", async () => {
  const vault = await createVault(KEY);
  for (const text of ["", "hush", "v1.AAAA.BBBB"]) {
    await assert.rejects(vault.open(text, "seed"), OperatorError, text);
  }
});

Deno.test("a vault written into a log shows no key", async () => {
  assert.equal(JSON.stringify(await createVault(KEY)), "{}");
});

const HEX = Buffer.from(KEY).toString("hex");
const BASE64 = Buffer.from(KEY).toString("base64");

for (
  const [form, text] of [
    ["hex", HEX],
    ["upper case hex", HEX.toUpperCase()],
    ["base64", BASE64],
    ["base64 without padding", BASE64.replace(/=+$/, "")],
    ["a line of a file", ` ${BASE64}\n`],
  ] as const
) {
  Deno.test(`contract 5: a master key given as ${form} is its 32 bytes`, () => {
    assert.deepEqual(parseMasterKey(text), KEY);
  });
}

const WRONG = ["", "hush", HEX.slice(2), `${HEX}00`, `0x${HEX}`, `${HEX.slice(1)}g`]
  .concat([toBase64(KEY.slice(1)), toBase64(Uint8Array.from([...KEY, 0])), `${BASE64}*`]);

for (const [i, text] of WRONG.entries()) {
  Deno.test(`a master key that isn't 32 bytes is invalid (${i + 1}: ${text.length} characters)`, () => {
    assert.equal(parseMasterKey(text), undefined);
  });
}
