import assert from "node:assert/strict";
import { isSamePayout } from "../../src/withdrawals/rules/same_payout.ts";

const made = { network: "ETH", currency: "USDT", toAddress: "0xAb", amount: "1.5" };

Deno.test("a payout is what was asked for if place, recipient and amount agree as far as it counts", () => {
  const isSame = (change: object, how = {}) =>
    isSamePayout(made, { ...made, ...change }, { decimals: 2, ...how });
  const same = [{}, { network: "eth", currency: "usdt" }, { amount: "1.50" }, { amount: "1.509" }];
  for (const change of same) assert.ok(isSame(change));
  const others = [
    ...[{ network: "POLYGON" }, { currency: "USDC" }, { toAddress: "0xab" }],
    ...[{ amount: "1.51" }, { amount: "15" }, { amount: "1.499" }],
  ];
  for (const change of others) assert.ok(!isSame(change));
  assert.ok(!isSame({ amount: "1.509" }, { decimals: undefined }));
  const spelled = (address: string) => address.toLowerCase();
  assert.ok(isSame({ toAddress: "0xab" }, { spelled }));
  assert.ok(!isSame({ toAddress: "0xac" }, { spelled }));
});
