import assert from "node:assert/strict";
import { isSamePayout } from "../../../src/payouts/rules/same_payout.ts";

const made = { network: "ETH", currency: "USDT", toAddress: "0xAb", amount: "1.5" };

Deno.test("a payout is what was asked for if place, recipient and amount agree as far as it counts", () => {
  const same = [{}, { network: "eth", currency: "usdt" }, { amount: "1.50" }, { amount: "1.509" }];
  for (const change of same) assert.ok(isSamePayout(made, { ...made, ...change }, 2));
  const others = [
    ...[{ network: "POLYGON" }, { currency: "USDC" }, { toAddress: "0xab" }],
    ...[{ amount: "1.51" }, { amount: "15" }, { amount: "1.499" }],
  ];
  for (const change of others) assert.ok(!isSamePayout(made, { ...made, ...change }, 2));
});
