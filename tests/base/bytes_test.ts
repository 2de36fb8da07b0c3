import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  fromBase64,
  fromHex,
  randomBytes,
  randomToken,
  readAtMost,
  toBase64,
  toHex,
  tokenSource,
  utf8,
} from "../../src/base/bytes.ts";

Deno.test("bytes of every value and length survive hex and base64", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7 + length & 0xff);
    const buffer = Buffer.from(bytes);
    assert.equal(toHex(bytes), buffer.toString("hex"));
    assert.equal(toBase64(bytes), buffer.toString("base64"));
    assert.deepEqual(fromHex(toHex(bytes)), bytes);
    assert.deepEqual(fromHex(toHex(bytes).toUpperCase()), bytes);
    assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
  }
});

Deno.test("text that is not whole hex bytes becomes undefined", () => {
  for (const text of ["a", "abc", "0g", "0x00", "zz", "a b ", "ａａ", "0 ", "-1"]) {
    assert.equal(fromHex(text), undefined, text);
  }
});

Deno.test("text that is not base64 becomes undefined", () => {
  for (const text of ["a", "*", "aa=a", "====", "ab-_", "é"]) {
    assert.equal(fromBase64(text), undefined, text);
  }
});

Deno.test("text becomes its UTF-8 bytes", () => {
  for (const text of ["", "abc", "žluť", "漢字", "🦕\u0000"]) {
    assert.deepEqual(Buffer.from(utf8(text)), Buffer.from(text, "utf8"));
  }
});

Deno.test("random bytes have the requested length and don't repeat", () => {
  const seen = new Set(Array.from({ length: 1000 }, () => toHex(randomBytes(16))));
  assert.equal(seen.size, 1000);
  assert.equal(randomBytes(0).length, 0);
  assert.equal(randomBytes(33).length, 33);
});

Deno.test("a random token is URL-safe, unpadded and contains all its bytes", () => {
  const tokens = Array.from({ length: 500 }, () => randomToken(20));
  assert.equal(new Set(tokens).size, 500);
  for (const token of tokens) {
    assert.match(token, /^[A-Za-z0-9_-]+$/);
    assert.equal(Buffer.from(token, "base64url").length, 20);
  }
});

Deno.test("tokens from one source are URL-safe, long enough for their randomness, and never equal", () => {
  for (const bytes of [1, 11, 12, 32]) {
    const next = tokenSource(bytes);
    const tokens = Array.from({ length: bytes === 1 ? 1 : 2_000 }, next);
    assert.equal(new Set(tokens).size, tokens.length);
    for (const token of tokens) {
      assert.match(token, /^[A-Za-z0-9_-]+$/);
      assert.equal(token.length, Math.ceil(bytes * 8 / 6));
    }
  }
});

Deno.test("a stream is read up to its limit, and not in tiny parts", async () => {
  const read = async (partBytes: number, parts: number) => {
    let given = 0;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (out) => given++ < parts ? out.enqueue(new Uint8Array(partBytes)) : out.close(),
    });
    return { length: (await readAtMost(stream, 65_536))?.length, given };
  };
  assert.equal((await read(1_024, 64)).length, 65_536);
  assert.equal((await read(1_024, 65)).length, undefined);
  assert.equal((await read(128, 512)).length, 65_536);
  assert.equal((await read(1, 512)).length, 512);
  for (const partBytes of [0, 1]) {
    const { length, given } = await read(partBytes, 60_000);
    assert.deepEqual([length, given < 600], [undefined, true]);
  }
});
