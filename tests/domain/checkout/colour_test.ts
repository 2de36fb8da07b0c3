import assert from "node:assert/strict";
import { readableOn } from "../../../src/checkout/rules/colour.ts";

const CARD = "#1b1f28";

/** WCAG 2, written down a second time. */
function contrast(one: string, other: string): number {
  const light = (hex: string) =>
    [[1, 0.2126], [3, 0.7152], [5, 0.0722]].reduce((sum, [at = 0, weight = 0]) => {
      const share = parseInt(hex.slice(at, at + 2), 16) / 255;
      return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
    }, 0.05);
  const ratio = light(one) / light(other);
  return Math.max(ratio, 1 / ratio);
}

Deno.test("a brand's colour is made only as light as a dark page needs", () => {
  for (const colour of ["#000000", "#1b57d6", "#7a0019", "#0b6b3a", "#1b1f28", "#5a00c8"]) {
    const light = readableOn(CARD, colour);
    assert.match(light, /^#[\da-f]{6}$/);
    assert.ok(contrast(light, CARD) >= 4.5, `${colour} ${light}`);
    assert.ok(contrast(light, CARD) < 6.5, `${colour} ${light}`);
  }
  assert.equal(readableOn(CARD, "#9fc0ff"), "#9fc0ff");
});
