import assert from "node:assert/strict";
import { redirectUrl } from "../../../src/invoices/rules/kinds.ts";

const HREF = "https://shop.example.com/";

for (
  const [what, text, isRight] of [
    ["with 2,000 characters", HREF.padEnd(2_000, "a"), true],
    ["with more", HREF.padEnd(2_001, "a"), false],
    ["that browsers write with more", HREF.padEnd(700, "é"), false],
    ["with more in front of it that browsers leave out", HREF.padStart(2_001, " "), false],
    ["with more in it that browsers leave out", HREF.padEnd(2_001, "\n"), false],
    ["without TLS", "http://shop.example.com/", false],
  ] as const
) {
  Deno.test(`an address back to the shop ${what} is ${isRight ? "kept" : "refused"}`, () => {
    assert.equal(redirectUrl.read(text), isRight ? text : undefined);
  });
}
