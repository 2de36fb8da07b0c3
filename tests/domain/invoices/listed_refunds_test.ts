import assert from "node:assert/strict";
import { listedRefunds, REFUNDS_LISTED_MAX } from "../../../src/domain/invoices/listed.ts";

Deno.test("of many refunds the newest are listed, in their order", () => {
  const all = Array.from({ length: REFUNDS_LISTED_MAX + 7 }, (_, i) => i);
  assert.deepEqual(listedRefunds(all), all.slice(7));
  assert.deepEqual(listedRefunds([3, 5]), [3, 5]);
});
