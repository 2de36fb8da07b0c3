import assert from "node:assert/strict";
import { totalsOf } from "../../../src/domain/money/list_totals.ts";

const isVoid = (status: string) => status === "failed";
const row = (currency: string, amount: string, status = "confirmed") => ({
  ...{ network: "ETH", currency, amount, status },
});

Deno.test("totals are exact for each currency, and don't mix networks", () => {
  const rows = [
    row("ETH", "0.1"),
    row("ETH", "0.2"),
    row("USDT", "9".repeat(78)),
    row("USDT", "0.000000000000000001"),
    { ...row("USDT", "5"), network: "TRX" },
  ];
  assert.deepEqual(totalsOf(rows, isVoid), {
    sums: [
      { network: "ETH", currency: "ETH", amount: "0.3", count: 2 },
      {
        ...{ network: "ETH", currency: "USDT", count: 2 },
        amount: `${"9".repeat(78)}.000000000000000001`,
      },
      { network: "TRX", currency: "USDT", amount: "5", count: 1 },
    ],
    counted: 5,
    leftOut: 0,
  });
});

Deno.test("what moved no money is left out, unless nothing else is listed", () => {
  const failed = row("ETH", "7", "failed");
  const { sums, counted, leftOut } = totalsOf([row("ETH", "1"), failed, failed], isVoid);
  assert.deepEqual([sums[0]!.amount, counted, leftOut], ["1", 1, 2]);
  const only = totalsOf([failed, failed], isVoid);
  assert.deepEqual([only.sums[0]!.amount, only.counted, only.leftOut], ["14", 2, 0]);
  assert.deepEqual(totalsOf([], isVoid), { sums: [], counted: 0, leftOut: 0 });
});
