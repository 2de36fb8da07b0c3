import assert from "node:assert/strict";
import { openInput, readHidden } from "../../src/app/host.ts";
import { utf8 } from "../../src/base/bytes.ts";

const inputOf = (...parts: string[]) => openInput(() => ReadableStream.from(parts.map(utf8)));

Deno.test("lines are read one by one, however they arrive, and the rest byte for byte", async () => {
  const input = inputOf("fir", "st\r\nsec", "ond\n{\r\n", "}\n");
  assert.equal(await input.readLine(), "first");
  assert.equal(await input.readLine(), "second");
  assert.deepEqual(await input.readRest(10), utf8("{\r\n}\n"));
});

Deno.test("a last line without an end is one, and nothing follows it", async () => {
  const input = inputOf("only");
  assert.equal(await input.readLine(), "only");
  assert.equal(await input.readLine(), undefined);
  assert.deepEqual(await input.readRest(10), new Uint8Array());
});

Deno.test("a rest that is larger than allowed is not read to its end", async () => {
  assert.equal(await inputOf("line\n", "x".repeat(11), "y").readRest(10), undefined);
  const exact = inputOf("line\n", "x".repeat(10));
  await exact.readLine();
  assert.equal((await exact.readRest(10))?.length, 10);
});

Deno.test("a secret is typed with corrections, and the terminal is as before afterwards", async () => {
  const typed = async (...parts: string[]) => {
    const raw: boolean[] = [];
    const keys = parts.map(utf8);
    const read = (into: Uint8Array) => {
      const next = keys.shift();
      if (next) into.set(next);
      return Promise.resolve(next?.length ?? null);
    };
    const setRaw = (isRaw: boolean) => void raw.push(isRaw);
    try {
      return await readHidden({ read, setRaw });
    } finally {
      assert.deepEqual(raw, [true, false]);
    }
  };
  assert.equal(await typed("sec", "rex\x7ft\r", "more"), "secret");
  assert.equal(await typed("wrong\x15right\n"), "right");
  assert.equal(await typed("gr\u00fc\u001b\u00df\r"), "gr\u00fc\u00df");
  assert.equal(await typed("\x04"), undefined);
  assert.equal(await typed("ended"), undefined);
  await assert.rejects(typed("abc\x03"), /Cancelled/);
});
