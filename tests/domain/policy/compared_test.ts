import assert from "node:assert/strict";
import { compared } from "../../../src/policies/rules/compared.ts";

Deno.test("a median is named from ten payouts on, and the largest always", () => {
  const amounts = Array.from({ length: 12 }, (_, i) => String(i + 1));
  for (let count = 0; count <= amounts.length; count++) {
    const { median, largest } = compared(amounts.slice(0, count).toReversed());
    assert.equal(median, count < 10 ? null : String(Math.ceil(count / 2)), `${count} payouts`);
    assert.equal(largest, count === 0 ? null : String(count));
  }
});
