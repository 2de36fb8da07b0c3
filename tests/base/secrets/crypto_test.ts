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
  unseal,
} from "../../../src/base/secrets/crypto.ts";

const TEXTS = ["", "a", "1767225600\nGET\n/v1/_ping\n\n", "🦕".repeat(100), "\u0000"];
const CONTEXT = "api_keys.secret_sealed:k1";

Deno.test("SHA-256 agrees with another implementation, even for no bytes", async () => {
  for (const text of TEXTS) {
    assert.equal(await sha256Hex(utf8(text)), createHash("sha256").update(text).digest("hex"));
  }
});

Deno.test("HMAC agrees with another implementation, for keys shorter and longer than a block", async () => {
  for (const secret of ["s", "secret", "x".repeat(64), "x".repeat(65), "ž".repeat(200)]) {
    const key = await importHmacKey(utf8(secret));
    for (const text of TEXTS) {
      const expected = createHmac("sha256", secret).update(text).digest("hex");
      assert.equal(await hmacHex(key, text), expected);
    }
  }
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
