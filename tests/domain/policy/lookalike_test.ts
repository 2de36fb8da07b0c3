import assert from "node:assert/strict";
import { looksLike } from "../../../src/chains/any_address.ts";

Deno.test("addresses look alike by their first and last four characters, in any case", () => {
  const known = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const cases: [string, string, boolean][] = [
    [known, "0x7099ffffffffffffffffffffffffffffffff79c8", true],
    [known, "0x7098ffffffffffffffffffffffffffffffff79c8", false],
    [known, "0x7099ffffffffffffffffffffffffffffffff79c9", false],
    [known, known.toLowerCase(), false],
    ["TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "TJRAbxxxxxxxxxxxxxxxxxxxxxxxxxRtV8", true],
    ["TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "TJRcbxxxxxxxxxxxxxxxxxxxxxxxxxRtV8", false],
  ];
  for (const [one, other, isLike] of cases) assert.equal(looksLike(one, other), isLike, other);
});
