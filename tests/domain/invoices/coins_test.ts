import assert from "node:assert/strict";
import { coinsFor, slackOf } from "../../../src/invoices/rules/coins.ts";

const invoiceCurrency = "EUR";

Deno.test("amounts have as few decimals as asked for, unless that would add more than 1 %", () => {
  const asked = (rate: string, digits: number | null, { decimals = 18, value = "25" } = {}) => {
    const method = { network: "ETH", currency: "ETH", decimals, digits, rate, rateAtMs: 0 };
    return coinsFor(value, { invoiceCurrency, method });
  };
  assert.equal(asked("2400", null), "0.010416666666666667");
  assert.equal(asked("2500", 2), "0.01");
  assert.equal(asked("3000", 6), "0.008334");
  assert.equal(asked("3000", 4), "0.0084");
  assert.equal(asked("3000", 2), "0.0084");
  assert.equal(asked("100000", 2), "0.00025");
  assert.equal(asked("3", 18, { decimals: 6 }), "8.333334");
  assert.equal(asked("2500", 2, { value: "2.5" }), "0.001", "the rest of an amount too");
});

Deno.test("only what rounding up adds, and less than a unit more, is no overpayment", () => {
  const slack = (digits: number | null, decimals = 18) => {
    const method = { network: "ETH", currency: "ETH", decimals, digits, rate: "3000", rateAtMs: 0 };
    return slackOf("25", { invoiceCurrency, method }).toString();
  };
  assert.equal(slack(null), "0.000000000000003");
  assert.equal(slack(4), "0.200000000000003");
  assert.equal(slack(4, 4), "0.5");
});
