import assert from "node:assert/strict";
import { MUTATIONS } from "./mutations.ts";

Deno.test("each mutation finds the text that it replaces, once", async () => {
  const astray: string[] = [];
  for (const { name, edits } of MUTATIONS) {
    for (const { file, from } of edits) {
      const text = await Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
      if (text.split(from).length !== 2) astray.push(`${name}: ${file}`);
    }
  }
  assert.deepEqual(astray, []);
});
