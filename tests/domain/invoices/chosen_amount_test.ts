import assert from "node:assert/strict";
import { isWithin, typedAmount } from "../../../src/invoices/rules/chosen_amount.ts";

Deno.test("an amount is read as payers of any language type it, and never in two ways", () => {
  const read: Readonly<Record<string, string>> = {
    ...{ "12": "12", " 12.50 ": "12.5", "12,50": "12.5", "0,125": "0.125", "0.125": "0.125" },
    ...{ "1000,125": "1000.125", "١٢٫٥٠": "12.5", "۷": "7", "१२.५": "12.5", "１２": "12" },
  };
  for (const [typed, amount] of Object.entries(read)) assert.equal(typedAmount(typed), amount);
  const unclear = [
    ...["", "0", "0,00", "-1", "1,000", "999,999", "1.000,50", "1,000.50", "1e3", "0x1", "12 EUR"],
    ...["1,", ".5", "1..5", "NaN", "1".repeat(101), "\0", "1".repeat(79)],
  ];
  for (const typed of unclear) assert.equal(typedAmount(typed), undefined, typed);
});

Deno.test("both ends of what may be chosen are allowed, and either may be missing", () => {
  const all = ["4.99", "5", "500", "500.01"];
  const allowed = (min: string | null, max: string | null) =>
    all.filter((amount) => isWithin(amount, { min, max }));
  assert.deepEqual(allowed("5", "500"), ["5", "500"]);
  assert.deepEqual(allowed("5", null), ["5", "500", "500.01"]);
  assert.deepEqual(allowed(null, "500"), ["4.99", "5", "500"]);
  assert.deepEqual(allowed(null, null), all);
});
