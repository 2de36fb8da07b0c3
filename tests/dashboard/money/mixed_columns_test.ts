import assert from "node:assert/strict";
import { htmlOf } from "../../../src/base/html.ts";
import { BalanceTable } from "../../../src/dashboard/parts/balances.tsx";
import type { Visit } from "../../../src/dashboard/visit.ts";

Deno.test("amounts of several currencies end at one edge, and not with their points below each other", async () => {
  const figures = { balance: "10640.4265", held: "0" };
  const rows = [
    { ...figures, network: "ETH", currency: "USDT" },
    { ...figures, network: "ETH", currency: "ETH", balance: "9" },
  ];
  const visit = { network: (code: string) => code } as Visit;
  const html = await htmlOf(BalanceTable({ visit, rows }));
  assert.match(html, /<td class="number"/);
  assert.doesNotMatch(html, /class="number f\d/);
});
