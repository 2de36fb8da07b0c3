import assert from "node:assert/strict";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { present } from "../../../src/base/assert.ts";
import { fromBase64, randomBytes, toBase64, toHex, utf8 } from "../../../src/base/bytes.ts";
import {
  deriveSealingKey,
  hmacHex,
  importHmacKey,
  seal,
  sha256Hex,
  Signatures,
  unseal,
} from "../../../src/base/secrets/crypto.ts";

const signatures = new Signatures();
const TEXTS = ["", "a", "1767225600\nGET\n/v1/_ping\n\n", "🦕".repeat(100), "\u0000"];
const CONTEXT = "api_keys.secret_sealed:k1";

Deno.test("SHA-256 agrees with another implementation, even for no bytes", () => {
  for (const text of TEXTS) {
    assert.equal(sha256Hex(utf8(text)), sha256Hex(text));
    assert.equal(sha256Hex(text), createHash("sha256").update(text).digest("hex"));
  }
});

Deno.test("HMAC agrees with another implementation, for keys shorter and longer than a block", async () => {
  for (const secret of ["s", "secret", "x".repeat(64), "x".repeat(65), "ž".repeat(200)]) {
    const key = await importHmacKey(utf8(secret));
    for (const text of TEXTS) {
      const expected = createHmac("sha256", secret).update(text).digest();
      assert.equal(await hmacHex(key, text), expected.toString("hex"));
      const signature = expected.toString("hex");
      assert.equal(await signatures.isRight({ key, signature, message: text }), true);
    }
  }
});

Deno.test("a signature with any bit changed, cut short or made longer is not right", async () => {
  const key = await importHmacKey(utf8("secret"));
  const bytes = Uint8Array.from(createHmac("sha256", "secret").update("text").digest());
  const signature = toHex(bytes);
  const accepts = (text: string, message = "text") =>
    signatures.isRight({ key, signature: text, message });
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(await accepts(toHex(changed)), false, `bit ${bit}`);
  }
  const wrong = [signature.slice(0, 62), `${signature}00`, `${signature}zz`, "", "zz".repeat(32)];
  for (const text of wrong) assert.equal(await accepts(text), false, text);
  assert.equal(await accepts(signature, "text2"), false);
  assert.equal(await accepts(signature.toUpperCase()), true);
});

Deno.test("signatures verified together are each judged by their own message and key", async () => {
  const secrets = Array.from({ length: 100 }, (_, i) => `secret ${i}`);
  const messages = secrets.map((secret, i) => secret.repeat(i % 7 === 0 ? 1_000 : i));
  const keys = await Promise.all(secrets.map((secret) => importHmacKey(utf8(secret))));
  const given = secrets.map((secret, i) =>
    createHmac("sha256", secret).update(messages[i]!).digest("hex")
  );
  const isRight = (i: number) => i % 3 !== 0;
  const found = await Promise.all(keys.map((key, i) => {
    const signature = given[isRight(i) ? i : (i + 1) % 100]!;
    return signatures.isRight({ key, signature, message: messages[i]! });
  }));
  assert.deepEqual(found, keys.map((_, i) => isRight(i)));
});

Deno.test("a sealed text opens with its key and context", async () => {
  const key = await deriveSealingKey(randomBytes(32), "test");
  for (const text of TEXTS) {
    const sealed = await seal(key, utf8(text), CONTEXT);
    assert.deepEqual(await unseal(key, sealed, CONTEXT), utf8(text));
  }
});

Deno.test("a sealed text shows nothing of the plain text, and no two are equal", async () => {
  const key = await deriveSealingKey(randomBytes(32), "test");
  const sealed = await Promise.all(
    Array.from({ length: 100 }, () => seal(key, utf8("hush hush hush"), CONTEXT)),
  );
  assert.equal(new Set(sealed).size, 100);
  for (const text of sealed) {
    const bytes = present(fromBase64(text.split(".")[2]!), "the sealed part is base64");
    assert.equal(toHex(bytes).includes(toHex(utf8("hush"))), false);
  }
});

Deno.test("a sealed text doesn't open with another key, purpose or context", async () => {
  const master = randomBytes(32);
  const key = await deriveSealingKey(master, "test");
  const sealed = await seal(key, utf8("hush"), CONTEXT);
  assert.equal(await unseal(key, sealed, "api_keys.secret_sealed:k2"), undefined);
  assert.equal(await unseal(key, sealed, ""), undefined);
  assert.equal(
    await unseal(await deriveSealingKey(randomBytes(32), "test"), sealed, CONTEXT),
    undefined,
  );
  assert.equal(await unseal(await deriveSealingKey(master, "other"), sealed, CONTEXT), undefined);
});

Deno.test("a sealed text with a changed byte doesn't open", async () => {
  const key = await deriveSealingKey(randomBytes(32), "test");
  const [version, nonce, sealed] = (await seal(key, utf8("hush"), CONTEXT)).split(".");
  for (const [part, text] of [["nonce", nonce], ["sealed", sealed]] as const) {
    const bytes = present(fromBase64(text!), part);
    for (let i = 0; i < bytes.length; i++) {
      const changed = bytes.slice();
      changed[i]! ^= 1;
      const forged = part === "nonce"
        ? `${version}.${toBase64(changed)}.${sealed}`
        : `${version}.${nonce}.${toBase64(changed)}`;
      assert.equal(await unseal(key, forged, CONTEXT), undefined, `${part} byte ${i}`);
    }
  }
});

Deno.test("what is cut, extended or not a sealed text at all does not open", async () => {
  const key = await deriveSealingKey(randomBytes(32), "test");
  const sealed = await seal(key, utf8("hush"), CONTEXT);
  const [version, nonce, rest] = sealed.split(".");
  const wrong = ["", ".", "v1", "v1..", `v1.${nonce}`, `v1.${nonce}.`, `v2.${nonce}.${rest}`]
    .concat([`${nonce}.${rest}`, `v1.*.${rest}`, `v1.${nonce}.*`, `v1.AAAA.${rest}`])
    .concat([`v1.${nonce}.AAAA`, `${version}.${rest}.${nonce}`, `${sealed}.more`]);
  for (const text of wrong) assert.equal(await unseal(key, text, CONTEXT), undefined, text);
});

Deno.test("the sealing key is HKDF-SHA-256 of the master key, so backups open elsewhere", async () => {
  const master = randomBytes(32);
  const sealed = await seal(
    await deriveSealingKey(master, "cpg/secrets/v1"),
    utf8("hush"),
    CONTEXT,
  );
  const bytes = new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), "cpg/secrets/v1", 32));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]);
  const [, nonce, rest] = sealed.split(".").map((part) => fromBase64(part));
  const params = { name: "AES-GCM", iv: nonce!, additionalData: utf8(CONTEXT) };
  const plain = await crypto.subtle.decrypt(params, key, rest!);
  assert.equal(new TextDecoder().decode(plain), "hush");
});
