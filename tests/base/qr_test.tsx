import assert from "node:assert/strict";
import { htmlOf } from "../../src/base/html.ts";
import { Qr } from "../../src/base/qr.tsx";
import { readQr, strokesOf } from "../support/dashboard/read_qr.ts";

const QUIET = 4;

const TEXTS = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  "otpauth://totp/CPG:a%20b%40c.d?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=CPG",
  `otpauth://totp/CPG:${"long".repeat(60)}%40example.com?secret=ABC ✓`,
];

for (const text of TEXTS) {
  Deno.test(`the code drawn for ${text.slice(0, 40)} is read back by a decoder`, async () => {
    const svg = await htmlOf(<Qr text={text} label="code" />);
    const inside = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) - QUIET;
    for (const { x, y, length } of strokesOf(svg)) {
      const isInside = x >= QUIET && y >= QUIET && x + length <= inside && y < inside;
      assert.ok(isInside, `${x}, ${y} is in the quiet zone`);
    }
    assert.equal(readQr(svg), text);
  });
}
