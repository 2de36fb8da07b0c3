import assert from "node:assert/strict";
import { badTitles } from "./rules.ts";
import { parse } from "./source.ts";

/** Put together, so that none of these counts as a title of this file. */
const TEST = "Deno" + ".test";
const OTHER = "testOn" + "Both";

Deno.test("test titles are short and begin with the section they test", () => {
  const files = [
    `${TEST}("spec 3.3: a request expires", () => {});`,
    `${TEST}("a request expires (spec 3.3)", () => {});`,
    `${TEST}("a request \\"expires\\" for every customer", () => {});`,
    `${TEST}(\`a \${request.of(somebody.who)} expires\`, () => {});`,
    `${OTHER}("it expires (contract 1, order)", () => {});`,
  ].map((text, i) => parse(`tests/${i}_test.ts`, text));
  assert.deepEqual(badTitles(files, 38), [
    'tests/1_test.ts: the section belongs at the beginning of "a request expires (spec 3.3)"',
    'tests/2_test.ts: 40 characters in "a request \\"expires\\" for every customer"',
    'tests/4_test.ts: the section belongs at the beginning of "it expires (contract 1, order)"',
  ]);
});
