import assert from "node:assert/strict";
import { decodeQR } from "qr/decode.js";
import { htmlOf } from "../../src/base/html.ts";
import { Qr } from "../../src/dashboard/parts/qr.tsx";

const QUIET = 4;
/** Pixels per module side: enough for a camera. */
const PIXELS = 3;

const TEXTS = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  "otpauth://totp/CPG:a%20b%40c.d?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=CPG",
  `otpauth://totp/CPG:${"long".repeat(60)}%40example.com?secret=ABC ✓`,
];

for (const text of TEXTS) {
  Deno.test(`the code drawn for ${text.slice(0, 40)} is read back by a decoder`, async () => {
    const svg = await htmlOf(<Qr text={text} label="code" />);
    const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1]);
    const width = size * PIXELS;
    const data = new Uint8Array(4 * width ** 2).fill(255);
    for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
      const inside = [x, y].every((at) => Number(at) >= QUIET && Number(at) < size - QUIET);
      assert.ok(inside, `${x}, ${y} is in the quiet zone`);
      for (let row = 0; row < PIXELS; row++) {
        const from = ((Number(y) * PIXELS + row) * width + Number(x) * PIXELS) * 4;
        for (let i = 0; i < 4 * PIXELS; i++) if (i % 4 < 3) data[from + i] = 0;
      }
    }
    assert.equal(decodeQR({ width, height: width, data }), text);
  });
}
