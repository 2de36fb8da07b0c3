import assert from "node:assert/strict";
import { priceIn } from "../../../src/refunds/paid_price.ts";

const COIN = { network: "ONE", currency: "AAA" };
type Payment = Parameters<typeof priceIn>[0][number];

function paid(amount: string, value: string | null, change: Partial<Payment> = {}): Payment {
  return { row: { ...COIN, amount }, value, status: "confirmed", missing: undefined, ...change };
}

function price(payments: readonly Payment[], decimals = 2) {
  return priceIn(payments, { ...COIN, decimals, quote: "EUR" });
}

Deno.test("an amount in the invoice's currency is the most coins that aren't worth more", () => {
  const TENTHS = Array.from({ length: 12 }, (_, i) => i + 1);
  const text = (tenths: number) => (tenths / 10).toFixed(1);
  for (const coins of TENTHS) {
    for (const worth of TENTHS) {
      for (const decimals of [0, 1, 2]) {
        const one = price([paid(text(coins), text(worth))], decimals)!;
        for (const asked of TENTHS) {
          const units = Math.floor(asked * coins * 10 ** decimals / (worth * 10));
          const expected = (units / 10 ** decimals).toString();
          const said = `${asked} of ${coins} coins for ${worth}, ${decimals} decimals`;
          assert.equal(one.coinsFor(text(asked)).toString(), expected, said);
        }
      }
    }
  }
});

Deno.test("payments at other prices count by how much they are, and only what was credited", () => {
  const said = (payments: readonly Payment[]) => price(payments)?.coinsFor("10").toString();
  assert.equal(said([paid("2", "50")]), "0.4");
  assert.equal(said([paid("3", "10")]), "3");
  assert.equal(said([paid("1", "50"), paid("4", "50")]), "0.5");
  assert.equal(said([paid("2", "50"), paid("7", null)]), "0.4", "without a price");
  assert.equal(said([paid("2", "50"), paid("7", "1", { status: "detected" })]), "0.4");
  assert.equal(said([paid("2", "50"), paid("7", "1", { missing: "gone" })]), "0.4");
  const other = { row: { ...COIN, network: "TWO", amount: "7" } };
  assert.equal(said([paid("2", "50"), paid("7", "1", other)]), "0.4", "of another network");
  for (const none of [[], [paid("2", null)], [paid("2", "0")], [paid("2", "50", other)]]) {
    assert.equal(said(none), undefined);
  }
});

Deno.test("what is left is worth what it counted for, and never more", () => {
  const { coinsFor, valueOf } = price([paid("3", "10")])!;
  assert.equal(valueOf(coinsFor("10")).toString(), "10");
  assert.match(valueOf(coinsFor("3.34")).toString(), /^3\.3{10,}$/);
  assert.equal(coinsFor("0.002").toString(), "0");
});
