import assert from "node:assert/strict";
import { invariant, InvariantError, present } from "../../src/base/assert.ts";

Deno.test("an invariant that holds passes, and one that doesn't throws its message", () => {
  invariant(true, "fine");
  for (const falsy of [false, 0, "", null, undefined, NaN]) {
    assert.throws(() => invariant(falsy, "broken"), { name: "InvariantError", message: "broken" });
  }
});

Deno.test("every value except null and undefined counts as present", () => {
  for (const value of [0, "", false, NaN]) assert.equal(present(value, "there"), value);
  for (const missing of [null, undefined]) {
    assert.throws(() => present(missing, "missing"), InvariantError);
  }
});
