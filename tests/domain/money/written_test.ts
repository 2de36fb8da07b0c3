import assert from "node:assert/strict";
import { LANGUAGES } from "../../../src/invoices/rules/languages.ts";
import { fiatText, isFiat, moneyText, separated } from "../../../src/domain/money/written.ts";

const plain = (text: string) => text.replaceAll(/[\s\u200e\u200f]/g, " ").trim();

Deno.test("a state's money has its currency's own decimals, in the reader's language", () => {
  const written = (amount: string, code: string, language: string) =>
    plain(fiatText(amount, { code, language }));
  assert.deepEqual(LANGUAGES.map((language) => written("1019.9", "EUR", language)), [
    ...["€1,019.90", "1.019,90 €", "1019,90 €", "1 019,90 €", "1019,90 €", "€ 1.019,90"],
    ...["1019,90 €", "€1.019,90", "1 019,90 €", "1 019,90 EUR", "€1,019.90", "€1,019.90"],
    ...["€1,019.90", "1,019.90 €", "€1,019.90"],
  ]);
  assert.equal(written("5", "USD", "en"), "$5.00");
  assert.equal(written("1980", "JPY", "en"), "¥1,980");
  assert.equal(written("1.5", "KWD", "de"), "1,500 KWD");
});

Deno.test("what was asked for keeps all its digits, however many there are", () => {
  assert.equal(moneyText("19.999", { currency: "EUR", rounding: "exact" }), "€19.999");
  assert.equal(moneyText("0.5", { currency: "JPY", rounding: "exact" }), "¥0.5");
  const long = "1".repeat(39);
  const whole = "111,111,111,111,111,111,111,111,111,111,111,111,111";
  assert.equal(
    moneyText(`${long}.${long}`, { currency: "EUR", rounding: "exact" }),
    `€${whole}.${long}`,
  );
  assert.equal(
    moneyText(`${long}.${long}`, { currency: "ETH", rounding: "exact" }),
    `${whole}.${long} ETH`,
  );
});

Deno.test("parts are rounded so that what came and what is missing are the whole", () => {
  for (let cents = 1; cents < 200; cents += 7) {
    const paid = (cents / 100 + 0.0000002).toFixed(7);
    const due = (19.9 - Number(paid)).toFixed(7);
    const [come, missing] = [
      moneyText(paid, { currency: "EUR", rounding: "down" }),
      moneyText(due, { currency: "EUR", rounding: "up" }),
    ];
    const sum = Number(come.slice(1)) + Number(missing.slice(1));
    assert.equal(sum.toFixed(2), "19.90", `${paid} and ${due}`);
  }
  assert.equal(moneyText("19.9000002", { currency: "EUR", rounding: "down" }), "€19.90");
  assert.equal(moneyText("-750.0625", { currency: "EUR", rounding: "down" }), "-€750.06");
});

Deno.test("less than the smallest coin isn't shown as nothing, and nothing is", () => {
  const shown = ["0.0000001", "-0.004", "0", "0.000"].map((text) =>
    moneyText(text, { currency: "EUR", rounding: "down" })
  );
  assert.deepEqual(shown, ["<€0.01", "<-€0.01", "€0.00", "€0.00"]);
  assert.equal(moneyText("0.4", { currency: "JPY", rounding: "down" }), "<¥1");
  assert.equal(moneyText("0.0000001", { currency: "EUR", rounding: "up" }), "€0.01");
});

Deno.test("only codes of states' money are written like money", () => {
  assert.deepEqual(["EUR", "USD", "XOF"].map(isFiat), [true, true, true]);
  assert.deepEqual(["ETH", "USDT", "eur", "XAU", "", "A_TOKEN"].filter(isFiat), []);
  assert.equal(moneyText("5000", { currency: "USDT", rounding: "exact" }), "5,000 USDT");
});

Deno.test("separators stand before each three whole digits only", () => {
  const texts = ["0", "100", "1000", "123456", "1234567.1234567", "-1000"];
  assert.deepEqual(
    texts.map(separated),
    ["0", "100", "1,000", "123,456", "1,234,567.1234567", "-1,000"],
  );
});

Deno.test("money is written as people read it, in their language, and exactly on demand", () => {
  const written = (amount: string, currency: string, more: object = {}) =>
    plain(moneyText(amount, { currency, ...more }));
  assert.equal(written("19.9000002", "EUR"), "€19.90");
  assert.equal(written("19.9000002", "EUR", { rounding: "exact" }), "€19.9000002");
  assert.equal(written("3210.4", "JPY"), "¥3,210");
  assert.equal(written("0.0079612", "ETH"), "0.00796 ETH");
  assert.equal(written("0.0079612", "ETH", { language: "de" }), "0,00796 ETH");
  assert.equal(written("0.0079612", "ETH", { language: "ar" }), "0.00796 ETH");
  assert.equal(written("22.930001", "USDT"), "22.93 USDT");
  assert.equal(written("22.930001", "USDT", { rounding: "up" }), "22.9301 USDT");
  assert.equal(written("1234.5678", "TRX", { rounding: "down" }), "1,234.56 TRX");
  assert.equal(written("0.000000000000000001", "ETH"), "0.000000000000000001 ETH");
  const long = "1234567890123.000000000000000001";
  assert.equal(written(long, "ETH"), "1,234,567,890,123 ETH");
  assert.equal(
    written(long, "ETH", { rounding: "exact" }),
    "1,234,567,890,123.000000000000000001 ETH",
  );
  assert.equal(written("10.5000002", "MNT", { isCoin: true }), "10.5 MNT");
});
